use std::fmt::Display;

pub struct Point<'a> {
    name: &'a str,
}

pub(crate) enum Kind { One, Two }

pub trait Shape {
    fn area(&self) -> f64;
}

/* /* nested */ fn not_me() {} */
impl<'a> Shape for Point<'a> {
    fn area(&self) -> f64 {
        let quote = '"';
        let text = "
fn nor_me() {}
";
        let raw = r#"
struct NorMe;
"#;
        text.len() as f64 + raw.len() as f64 + quote as u32 as f64
    }
}

macro_rules! double { ($x:expr) => { $x * 2 } }
pub const LIMIT: usize = 3;
mod inner {
    pub async unsafe fn run() {}
}
