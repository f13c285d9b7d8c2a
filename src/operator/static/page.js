const show = async () => {
  const answer = await fetch("/series");
  document.getElementById("now").textContent = JSON.stringify((await answer.json()).gauges, null, 2);
};
show();
setInterval(show, 5000);
