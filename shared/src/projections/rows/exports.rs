//! Exports, of which a merchant has one running at a time.
//!
//! A second row says which one is running. It is renewed with every part that is written, and expires if its workers make no
//! progress, so that a merchant can export again whatever became of them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::base::random::Random;
use crate::db::keys::{self, Key};
use crate::db::{CommitError, Entity, Job, Store, StoreError, Stored, Task, Write};
use crate::projections::model::export::{Export, ExportProgress, ExportState};
use crate::values::{ExportId, MerchantId};

impl Entity for Export {
    fn key(&self) -> Key {
        keys::export(&self.merchant_id, &self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at())
    }
}

/// The export of a merchant that is running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningExport {
    pub merchant_id: MerchantId,
    pub export_id: ExportId,
    pub fails_at: Timestamp,
}

impl RunningExport {
    fn new(export: &Export, fails_at: Timestamp) -> Self {
        let (merchant_id, export_id) = (export.merchant_id.clone(), export.id.clone());
        Self { merchant_id, export_id, fails_at }
    }
}

impl Entity for RunningExport {
    fn key(&self) -> Key {
        keys::running_export(&self.merchant_id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.fails_at)
    }
}

/// The writes that start an export, on condition that no other one of the merchant is running: with the job that writes it.
pub fn start(export: &Export, random: &Random) -> Result<Vec<Write>, StoreError> {
    let now = export.created_at;
    let running = RunningExport::new(export, ExportProgress::new(now).fails_at);
    let task = Task::WriteExport { export_id: export.id.clone() };
    let job = Job::new(export.merchant_id.clone(), task, now, random);
    Ok(vec![Write::create_or_renew(&running, now)?, Write::create(export)?, Write::create(&job)?])
}

impl Store {
    /// `None` also for an export that has expired.
    pub async fn export(
        &self,
        merchant: &MerchantId,
        id: &ExportId,
        now: Timestamp,
    ) -> Result<Option<Stored<Export>>, StoreError> {
        let export = self.get::<Export>(&keys::export(merchant, id)).await?;
        Ok(export.filter(|export| now < export.value.expires_at()))
    }

    pub async fn running_export(
        &self,
        merchant: &MerchantId,
        now: Timestamp,
    ) -> Result<Option<Stored<RunningExport>>, StoreError> {
        let running = self.get::<RunningExport>(&keys::running_export(merchant)).await?;
        Ok(running.filter(|running| now < running.fails_at))
    }

    /// Saves the progress of a running export. A conflict means that another worker has gone on with it, or that it failed
    /// and another export is running.
    pub async fn save_progress(
        &self,
        export: &Stored<Export>,
        running: &Stored<RunningExport>,
        progress: ExportProgress,
    ) -> Result<(), CommitError> {
        let renewed = RunningExport::new(export, progress.fails_at);
        let next = export.with_state(ExportState::Running(progress));
        self.commit(vec![Write::replace(export, &next)?, Write::replace(running, &renewed)?]).await
    }

    /// Ends an export, so that the next one can start. `running` is `None` if it is not the running one any more.
    pub async fn end_export(
        &self,
        export: &Stored<Export>,
        running: Option<&Stored<RunningExport>>,
        state: ExportState,
    ) -> Result<(), CommitError> {
        let mut writes = vec![Write::replace(export, &export.with_state(state))?];
        writes.extend(running.map(Write::delete).transpose()?);
        self.commit(writes).await
    }
}
