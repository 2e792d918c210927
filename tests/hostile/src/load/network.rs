//! The card network: the simulator in this process, with faults by chance. It outlives the portal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::StatusCode;
use upstreams::faults::{FaultKind, Faults};
use upstreams::simulators::SimulatorOptions;
use upstreams::simulators::card_network::{CardNetwork, Operation, OperationStatus};
use world::SeededRandom;

use super::fixtures;

/// The key that the local system has in its secrets.
const API_KEY: &str = "local-card-network-key";
/// How many of a hundred calls fail.
const FAULTS_PERCENT: u64 = 1;

pub(super) struct Network {
    simulator: CardNetwork,
    is_down: Arc<AtomicBool>,
}

impl Network {
    pub(super) async fn start(mut random: SeededRandom) -> Self {
        let is_down = Arc::new(AtomicBool::new(false));
        let faults = Faults::default();
        let down = is_down.clone();
        faults.decide(move |_| {
            if down.load(Ordering::Relaxed) {
                return Some(FaultKind::Drop);
            }
            random.percent(FAULTS_PERCENT).then(|| random.pick(&fault_kinds()).clone())
        });
        let options = SimulatorOptions { api_key: API_KEY.to_owned(), faults, ..SimulatorOptions::default() };
        let simulator = CardNetwork::start(options).await.unwrap();
        simulator.load(&serde_json::from_value(fixtures::network()).unwrap()).unwrap();
        Self { simulator, is_down }
    }

    pub(super) fn url(&self) -> String {
        self.simulator.url()
    }

    pub(super) fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    /// The operations that have moved money.
    pub(super) fn movements(&self) -> Vec<Operation> {
        let operations = self.simulator.operations().into_iter();
        operations.filter(|operation| operation.status == OperationStatus::Succeeded).collect()
    }
}

fn fault_kinds() -> [FaultKind; 6] {
    [
        FaultKind::Status(StatusCode::INTERNAL_SERVER_ERROR),
        FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE),
        FaultKind::Drop,
        FaultKind::After,
        FaultKind::Body("<html>".to_owned()),
        FaultKind::Delay(Duration::from_secs(3)),
    ]
}
