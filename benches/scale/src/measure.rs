//! Measures a case: its usage with one request, its response times with others.

use std::time::{Duration, Instant};

use crate::error::BenchError;
use crate::results::{Case, Cost};
use crate::system::{OperationUsage, System};

/// No more requests of a case are sent after this time.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Calls that a function makes at the same time arrive within less than this, even if there are dozens.
const CALL_DELAY: Duration = Duration::from_millis(40);
/// A call that arrives late can only make a sequence longer, so that the shortest sequence of these requests is the right one.
const SEQUENCE_REQUESTS: usize = 3;

/// Sends one request to count its calls, and up to `requests` more to measure their times. Without more requests, its own time is
/// the result.
pub(crate) async fn cost(system: &System, case: &Case, requests: usize) -> Result<Cost, BenchError> {
    system.reset_usage().await?;
    let first = system.time(&case.path).await?;
    let usage = system.usage().await?;
    let operations = usage.get(case.function()).into_iter().flatten();
    let (s3, dynamodb): (Vec<_>, Vec<_>) = operations.partition(|(name, _)| name.starts_with("S3."));
    let calls = |operations: &[(&String, &OperationUsage)]| operations.iter().map(|(_, usage)| usage.calls).sum();
    let is_given_up = first.body.is_none();
    let times = if is_given_up || requests == 0 { vec![first.time] } else { times(system, &case.path, requests).await? };
    Ok(Cost {
        is_given_up,
        read_units: dynamodb.iter().map(|(_, usage)| usage.read_units).sum(),
        dynamodb_calls: calls(&dynamodb),
        s3_requests: calls(&s3),
        times,
    })
}

/// At least one time, in ascending order.
async fn times(system: &System, path: &str, requests: usize) -> Result<Vec<Duration>, BenchError> {
    let started = Instant::now();
    let mut times = vec![system.time(path).await?.time];
    while times.len() < requests && started.elapsed() < TIME_LIMIT {
        times.push(system.time(path).await?.time);
    }
    times.sort_unstable();
    Ok(times)
}

/// Counts the calls of a request that are made one after the other. Each call is delayed, so that calls that are made at the
/// same time overlap. `None` if the request was given up.
pub(crate) async fn sequential_calls(system: &System, case: &Case) -> Result<Option<u64>, BenchError> {
    system.delay_calls(CALL_DELAY).await?;
    let counted = shortest_sequence(system, case).await;
    system.stop_delaying_calls().await?;
    counted
}

async fn shortest_sequence(system: &System, case: &Case) -> Result<Option<u64>, BenchError> {
    let mut shortest = None;
    for _ in 0..SEQUENCE_REQUESTS {
        system.reset_usage().await?;
        if system.time(&case.path).await?.body.is_none() {
            return Ok(None);
        }
        let calls = system.sequential_calls(case.function());
        shortest = Some(shortest.map_or(calls, |shortest: u64| shortest.min(calls)));
    }
    Ok(shortest)
}
