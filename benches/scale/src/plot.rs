//! A plot with logarithmic axes, as an SVG image that can be read on light and on dark backgrounds.

use std::fmt::Write;

use crate::figures::grouped;

pub(crate) struct Line {
    pub(crate) name: String,
    /// One of [`COLORS`].
    pub(crate) color: usize,
    /// The number of orders and the value, both greater than 0, in ascending order.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Each has a contrast of at least 3 to both backgrounds.
const COLORS: [&str; 6] = ["#3b82c4", "#16a34a", "#d97706", "#9b5de5", "#0d9aa5", "#dc4c4c"];

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 610.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 410.0;
const LEGEND: f64 = 640.0;
const LEGEND_SPACING: f64 = 26.0;
const SAMPLE_LENGTH: f64 = 34.0;

const STYLE: &str = "
    text { font: 14px system-ui, sans-serif; fill: #24292f }
    .title { font-size: 16px; font-weight: 600 }
    .tick { font-size: 13px; fill: #57606a }
    .background { fill: #ffffff }
    .grid { stroke: #d0d7de; stroke-width: 1 }
    .line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .tick { fill: #9198a1 }
      .background { fill: #0d1117 }
      .grid { stroke: #30363d }
    }
  ";

/// Draws the read units of a request over the number of orders.
pub(crate) fn svg(lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let x = Axis::spanning(points().map(|(x, _)| *x), LEFT, RIGHT);
    let y = Axis::spanning(points().map(|(_, y)| *y), BOTTOM, TOP);
    let title = "Read units of a request by the number of orders";
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">
  <style>{STYLE}</style>
  <rect class="background" width="{WIDTH}" height="{HEIGHT}"/>
  <text class="title" x="{LEFT}" y="30">{title}</text>
"#
    );
    svg += &axes(&x, &y);
    for line in lines {
        svg += &curve(line, &x, &y);
    }
    svg += &legend(lines);
    svg + "</svg>\n"
}

/// A logarithmic axis.
#[derive(Debug)]
struct Axis {
    /// Powers of ten, at least two.
    ticks: Vec<f64>,
    /// Where the first tick is drawn.
    start: f64,
    /// Where the last tick is drawn.
    end: f64,
}

impl Axis {
    /// An axis from the power of ten at or below all values to the one at or above them.
    fn spanning(values: impl Iterator<Item = f64> + Clone, start: f64, end: f64) -> Self {
        let smallest = values.clone().fold(f64::INFINITY, f64::min);
        let largest = values.fold(0.0, f64::max);
        let (mut ticks, mut tick) = (vec![1.0], 1.0);
        while tick < largest || ticks.len() < 2 {
            tick *= 10.0;
            ticks.push(tick);
        }
        let unused = ticks.iter().skip(1).take_while(|tick| **tick <= smallest).count();
        ticks.drain(..unused.min(ticks.len() - 2));
        Self { ticks, start, end }
    }

    fn position(&self, value: f64) -> f64 {
        let (Some(first), Some(last)) = (self.ticks.first(), self.ticks.last()) else { return self.start };
        self.start + (self.end - self.start) * (value / first).log10() / (last / first).log10()
    }
}

fn axes(x: &Axis, y: &Axis) -> String {
    let mut svg = String::new();
    for tick in &x.ticks {
        let (at, label) = (x.position(*tick), grouped(*tick));
        svg += &grid_line([at, TOP], [at, BOTTOM]);
        svg += &text("tick", [at, BOTTOM + 22.0], "middle", &label);
    }
    for tick in &y.ticks {
        let (at, label) = (y.position(*tick), grouped(*tick));
        svg += &grid_line([LEFT, at], [RIGHT, at]);
        svg += &text("tick", [LEFT - 10.0, at + 5.0], "end", &label);
    }
    let (middle_x, middle_y) = (f64::midpoint(LEFT, RIGHT), f64::midpoint(TOP, BOTTOM));
    svg += &text("label", [middle_x, BOTTOM + 50.0], "middle", "orders in a year");
    let rotated = text("label", [0.0, 0.0], "middle", "read units");
    svg + &format!("  <g transform=\"translate(22 {middle_y:.1}) rotate(-90)\">\n  {rotated}  </g>\n")
}

fn curve(line: &Line, x: &Axis, y: &Axis) -> String {
    let positions: Vec<_> = line.points.iter().map(|(orders, value)| (x.position(*orders), y.position(*value))).collect();
    let path: Vec<String> = positions.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let mut svg = polyline(line, &path.join(" "));
    for (x, y) in positions {
        let color = color(line);
        // Writing to a string cannot fail.
        let _ = writeln!(svg, r#"  <circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{color}"/>"#);
    }
    svg
}

/// The names of the lines, highest last value first.
fn legend(lines: &[Line]) -> String {
    let mut sorted: Vec<&Line> = lines.iter().filter(|line| !line.points.is_empty()).collect();
    let last = |line: &Line| line.points.last().map(|(_, value)| *value).unwrap_or_default();
    sorted.sort_by(|one, other| last(other).total_cmp(&last(one)));
    let mut svg = String::new();
    let mut y = TOP + LEGEND_SPACING / 2.0;
    for line in sorted {
        svg += &polyline(line, &format!("{LEGEND},{y} {},{y}", LEGEND + SAMPLE_LENGTH));
        svg += &text("label", [LEGEND + SAMPLE_LENGTH + 10.0, y + 5.0], "start", &line.name);
        y += LEGEND_SPACING;
    }
    svg
}

fn polyline(line: &Line, points: &str) -> String {
    format!("  <polyline class=\"line\" stroke=\"{}\" points=\"{points}\"/>\n", color(line))
}

fn color(line: &Line) -> &'static str {
    COLORS.get(line.color % COLORS.len()).copied().unwrap_or_default()
}

fn grid_line([x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> String {
    format!("  <line class=\"grid\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>\n")
}

/// The content must not need to be escaped.
fn text(class: &str, [x, y]: [f64; 2], anchor: &str, content: &str) -> String {
    format!("  <text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(values: &[f64]) -> Vec<f64> {
        Axis::spanning(values.iter().copied(), 0.0, 1.0).ticks
    }

    #[test]
    fn an_axis_spans_all_values_by_powers_of_ten() {
        assert_eq!(ticks(&[10.0, 1_000.0]), [10.0, 100.0, 1_000.0]);
        assert_eq!(ticks(&[8.5, 84_000.0]), [1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0]);
        assert_eq!(ticks(&[1.0]), [1.0, 10.0]);
        assert_eq!(ticks(&[100.0]), [10.0, 100.0]);
        assert_eq!(ticks(&[]), [1.0, 10.0]);
    }

    #[test]
    fn positions_are_logarithmic() {
        let axis = Axis::spanning([10.0, 100_000.0].into_iter(), 400.0, 0.0);
        let positions = [10.0, 100.0, 1_000.0, 100_000.0].map(|value| axis.position(value).round());
        assert_eq!(positions.map(|position| position.to_string()), ["400", "300", "200", "0"]);
    }

    #[test]
    fn draws_each_line_with_its_points_and_its_name() {
        let line = |name: &str, points: &[(f64, f64)]| Line { name: name.to_owned(), color: 0, points: points.to_vec() };
        let lines =
            [line("low", &[(10.0, 5.0), (1_000.0, 8.0)]), line("high", &[(10.0, 6.0), (1_000.0, 500.0)]), line("unknown", &[])];
        let svg = svg(&lines);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.find(">high<").unwrap() < svg.find(">low<").unwrap());
        assert!(!svg.contains("unknown") && !svg.contains("NaN"));
    }
}
