//! Changes of JSON that leave it JSON: what a byte changed at random mostly does is make a text that nobody reads on.

use libfuzzer_sys::fuzzer_mutate;
use serde_json::{Map, Value, json};

use crate::BETWEEN;

/// Changes an input whose parts are JSON after `head` bytes each: one time in three as libFuzzer would, else one or a
/// few values of one part, or the parts themselves.
pub fn mutate(data: &mut [u8], size: usize, max: usize, seed: u32, head: usize) -> usize {
    let mut dice = Dice(u64::from(seed) | 1 << 32);
    if dice.below(3) > 0
        && let Some(changed) = changed(&data[..size], head, &mut dice).filter(|changed| changed.len() <= max)
    {
        data[..changed.len()].copy_from_slice(&changed);
        return changed.len();
    }
    fuzzer_mutate(data, size, max)
}

fn changed(data: &[u8], head: usize, dice: &mut Dice) -> Option<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = crate::parts(data).map(<[u8]>::to_vec).collect();
    let at = dice.below(parts.len());
    if parts.len() > 1 && dice.below(10) == 0 {
        let other = dice.below(parts.len());
        match dice.below(3) {
            0 => parts.swap(at, other),
            1 => parts[at] = parts[other].clone(),
            _ => drop(parts.remove(at)),
        }
        return Some(parts.join(&BETWEEN));
    }
    let part = parts.get_mut(at)?;
    let mut value: Value = serde_json::from_slice(part.get(head..)?).ok()?;
    for _ in 0..=dice.below(3) {
        change(&mut value, dice);
    }
    part.truncate(head);
    part.extend(value.to_string().bytes());
    Some(parts.join(&BETWEEN))
}

/// Changes one value somewhere in a tree.
fn change(tree: &mut Value, dice: &mut Dice) {
    let nodes = count(tree);
    let donor = nth(tree, &mut dice.below(nodes)).map(|value| value.clone()).unwrap_or_default();
    let Some(value) = nth(tree, &mut dice.below(nodes)) else { return };
    match (dice.below(8), value) {
        (0, value) => *value = donor,
        (1, value) => *value = json!([value.take()]),
        (2..=5, Value::Object(map)) => change_object(map, donor, dice),
        (2..=5, Value::Array(list)) => change_list(list, donor, dice),
        (2..=5, Value::String(text)) => change_text(text, dice),
        (2..=5, value) if value.is_number() => *value = number(value, dice),
        (_, value) => *value = any(dice),
    }
}

fn change_object(map: &mut Map<String, Value>, donor: Value, dice: &mut Dice) {
    let Some(key) = map.keys().nth(dice.below(map.len().max(1))).cloned() else { return };
    match dice.below(4) {
        0 => drop(map.remove(&key)),
        1 => drop(map.insert(key, donor)),
        2 => {
            let value = map.remove(&key).unwrap_or_default();
            let mut key = key;
            change_text(&mut key, dice);
            map.insert(key, value);
        }
        _ => {
            let other = map.keys().nth(dice.below(map.len())).cloned().unwrap_or_default();
            let (one, two) = (map.remove(&key).unwrap_or_default(), map.remove(&other).unwrap_or_default());
            map.insert(key, two);
            map.insert(other, one);
        }
    }
}

fn change_list(list: &mut Vec<Value>, donor: Value, dice: &mut Dice) {
    let at = dice.below(list.len().max(1));
    match (dice.below(5), list.get(at).cloned()) {
        (0, Some(_)) => drop(list.remove(at)),
        (1, Some(value)) => list.extend(std::iter::repeat_n(value, 1 + dice.below(30))),
        (2, _) => list.truncate(at),
        (3, Some(value)) => list.insert(0, value),
        _ => list.push(donor),
    }
}

static TEXTS: [&str; 32] = [
    "",
    " ",
    "x",
    "…",
    "\u{202e}x\u{0}\u{200b}",
    "a\nb\tc\r\n",
    "e\u{301}",
    "<script>alert(1)</script>",
    "\"}],\"\\",
    "Somebody",
    "somebody",
    "Somebody (2)",
    "SOMEBODY",
    "0000000000000000000000000000000000000000000000000000000000000007",
    "0000000000000000000000000000000000000000000000000000000000000008",
    "f22942a1-6f70-4f48-866e-238cb2308fbd",
    "00000000-0000-0000-0000-000000000000",
    "45",
    "2010-01-01",
    "2010",
    "9999-12-31",
    "2027-02-30",
    "https://somebody.bandcamp.com",
    "javascript:alert(1)",
    "//x",
    "discogs",
    "cluster",
    "present",
    "honest_gap",
    "degraded",
    "not_run",
    "{{name}}",
];

fn change_text(text: &mut String, dice: &mut Dice) {
    let cut = text.char_indices().nth(dice.below(text.chars().count().max(1))).map_or(0, |(at, _)| at);
    match dice.below(6) {
        0 => text.truncate(cut),
        1 => text.insert_str(cut, dice.text()),
        2 => *text = dice.text().to_owned(),
        3 => *text = text.repeat(1 + dice.below(40)).chars().take(4_000).collect(),
        4 => *text = text.to_uppercase(),
        _ => text.insert(
            cut,
            char::from_u32(u32::try_from(dice.below(0x11_0000)).unwrap_or(0)).unwrap_or('\u{feff}'),
        ),
    }
}

fn number(of: &Value, dice: &mut Dice) -> Value {
    let near = of.as_i64().unwrap_or(0);
    match dice.below(6) {
        0 => json!(near.wrapping_add(1)),
        1 => json!(near.wrapping_sub(1)),
        2 => json!(near.wrapping_neg()),
        3 => Value::String(of.to_string()),
        4 => json!(of.as_f64().unwrap_or(0.0) + 0.5),
        _ => any_number(dice),
    }
}

fn any_number(dice: &mut Dice) -> Value {
    let numbers = [
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(-0.0),
        json!(0.1),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(4_294_967_296_u64),
        json!(9_007_199_254_740_993_u64),
        json!(1_000_000),
    ];
    numbers[dice.below(numbers.len())].clone()
}

fn any(dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3 => json!([]),
        4 => json!({}),
        5 => any_number(dice),
        _ => json!(dice.text()),
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Object(map) => map.values().map(count).sum(),
        Value::Array(list) => list.iter().map(count).sum(),
        _ => 0,
    }
}

fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Object(map) => map.values_mut().find_map(|value| nth(value, left)),
        Value::Array(list) => list.iter_mut().find_map(|value| nth(value, left)),
        _ => None,
    }
}

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One of `many`; of none the first.
    fn below(&mut self, many: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap_or(0) % many.max(1)
    }

    fn text(&mut self) -> &'static str {
        TEXTS[self.below(TEXTS.len())]
    }
}
