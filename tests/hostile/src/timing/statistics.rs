//! Whether two series of times can be told apart.

/// The probability that a time of the first series is shorter than one of the second, with half of the ties: the area under the
/// curve of whoever guesses the class of a call from its time. 0.5 is a guess without knowledge.
pub(crate) fn auc(first: &[f64], second: &[f64]) -> f64 {
    let of = |times: &[f64], is_first: bool| times.iter().map(move |time| (*time, is_first)).collect::<Vec<_>>();
    let mut times = [of(first, true), of(second, false)].concat();
    times.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut rank_sum = 0.0;
    let mut rank = 0.0;
    for ties in times.chunk_by(|(a, _), (b, _)| a.total_cmp(b).is_eq()) {
        let count = count(ties.len());
        // All of them have the mean of their ranks.
        let mean = rank + f64::midpoint(count, 1.0);
        rank_sum += mean * self::count(ties.iter().filter(|(_, is_first)| *is_first).count());
        rank += count;
    }
    let (m, n) = (count(first.len()), count(second.len()));
    1.0 - (rank_sum - m * (m + 1.0) / 2.0) / (m * n)
}

/// The standard error of [`auc`] for series that cannot be told apart.
pub(super) fn standard_error(first: usize, second: usize) -> f64 {
    let (m, n) = (count(first), count(second));
    ((m + n + 1.0) / (12.0 * m * n)).sqrt()
}

fn count(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_that_of_all_pairs() {
        for (first, second, expected) in [
            (&[1.0, 2.0][..], &[3.0, 4.0][..], 1.0),
            (&[3.0, 4.0], &[1.0, 2.0], 0.0),
            (&[1.0, 2.0], &[1.0, 2.0], 0.5),
            (&[1.0, 1.0], &[1.0, 1.0], 0.5),
            (&[1.0, 4.0], &[2.0, 3.0], 0.5),
            (&[1.0, 2.0, 4.0], &[3.0, 3.0], 2.0 / 3.0),
        ] {
            assert!((auc(first, second) - expected).abs() < 1e-12, "{first:?} {second:?}");
        }
    }

    #[test]
    fn the_error_falls_with_the_number_of_calls() {
        assert!((standard_error(5_000, 5_000) - 0.005_77).abs() < 1e-4);
        assert!((standard_error(400, 400) - 0.0204).abs() < 1e-4);
    }
}
