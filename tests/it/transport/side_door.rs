//! The way in by which the program finds out whether it serves: true when it does, however full it is, and not else.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use ono_sendai::host::Authority;
use ono_sendai::transport::{Limits, Listener, NotReady, Part, Question, SecurityHeaders, Unanswered};
use tokio::net::TcpStream;

use super::support::{Event, PATIENCE, POST, Server, certificate};

const SHORT: Duration = Duration::from_millis(200);

#[tokio::test]
async fn a_server_answers_itself_also_when_it_refuses_what_is_metered() {
    let server = Server::start();
    server.side_door.is_answered(PATIENCE).await.unwrap();
    server.service.not_ready.lock().unwrap().push(NotReady { part: Part::Store, why: "full".to_owned() });
    server.side_door.is_answered(PATIENCE).await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_full_of_connections_answers_itself_and_nobody_else() {
    let mut server = Server::with(Limits { connections: 2, ..Limits::default() });
    // Somebody waits for an answer on each, so that none gives way.
    let (mut first, mut second) = (server.raw().await, server.raw().await);
    for busy in [&mut first, &mut second] {
        busy.send(format!("{POST}\r\nContent-Length: 11\r\n\r\nlater:60000")).await;
        assert_eq!(server.event().await, Event::Called(11));
    }
    let mut third = pin!(server.raw());
    // Each answer is a whole handshake and more, after the third has come: time enough for it, if there were room.
    for _ in 0..3 {
        tokio::select! {
            biased;
            _ = &mut third => panic!("there was room for a third"),
            answered = server.side_door.is_answered(PATIENCE) => answered.unwrap(),
        }
    }
    assert!(tokio::time::timeout(Duration::ZERO, &mut third).await.is_err(), "there was room for a third");
    drop(first);
    third.await;
}

#[tokio::test]
async fn a_server_whose_loop_stands_still_does_not_answer_itself() {
    let mut listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let door = listener.side_door(&Authority::parse("localhost").unwrap(), &[]);
    // Connections are still taken by the system, so that a stranger could not tell.
    TcpStream::connect(listener.address()).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(door.is_answered(SHORT).await, Err(Unanswered::Late(SHORT))));
    }
    drop(listener);
    assert!(matches!(door.is_answered(SHORT).await, Err(Unanswered::Closed)));
}

#[tokio::test]
async fn a_server_whose_calls_fail_or_hang_does_not_answer_itself_although_it_is_ready() {
    let asked = |body| {
        let question =
            Question { path: "/mcp", fields: &[("Content-Type", "application/json")], body, answers: &[200] };
        let security = SecurityHeaders::new(true);
        Server::asking(Limits::default(), &certificate().identity, security, &[question])
    };
    asked("whatever").side_door.is_answered(PATIENCE).await.unwrap();
    for fails in ["panic", "panic later", "refuse"] {
        let other = asked(fails).side_door.is_answered(PATIENCE).await.unwrap_err();
        assert!(matches!(&other, Unanswered::Other { asked, .. } if asked == "POST /mcp"), "{other}");
    }
    let late = asked("later:60000").side_door.is_answered(SHORT).await;
    assert!(matches!(late, Err(Unanswered::Late(SHORT))), "{late:?}");
}

#[tokio::test]
async fn a_server_that_was_let_go_does_not_answer_itself() {
    let server = Server::start();
    server.side_door.is_answered(PATIENCE).await.unwrap();
    server.abandon();
    assert!(server.side_door.is_answered(PATIENCE).await.is_err());
}
