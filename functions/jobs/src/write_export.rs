//! Writes the file of an export, part by part, and makes it a file once the last part is written.
//!
//! Progress is saved with every part, so that a worker goes on where the last one stopped. A part that was uploaded and not
//! saved is uploaded again under the same number, which replaces it. S3 takes no small parts: where many rows are read of which few
//! are exported, these are saved as a file of their own, to which the next step adds.

use std::time::Duration;

use bytes::Bytes;
use jiff::SignedDuration;
use shared::app::App;
use shared::aws::files::{Download, MIN_PART_BYTES};
use shared::base::invocation::Invocation;
use shared::db::Stored;
use shared::projections::exports::next_piece;
use shared::projections::model::export::{Export, ExportProgress, ExportState};
use shared::projections::rows::exports::RunningExport;
use shared::values::ids::{ExportId, MerchantId};
use shared::values::span::later;

use crate::outcome::{Failure, Progress};

/// Longer than a worker can run.
const MAX_WORKER_TIME: SignedDuration = SignedDuration::from_mins(2);
const CONTENT_TYPE: &str = "text/csv; charset=utf-8; header=present";

/// Writes parts as long as there is time for another one.
pub(crate) async fn write(app: &App, invocation: &Invocation, merchant: &MerchantId, id: &ExportId) -> Result<Progress, Failure> {
    loop {
        let started = app.clock.now();
        if write_part(app, merchant, id).await? == Progress::Done {
            return Ok(Progress::Done);
        }
        // The next part takes about as long as this one.
        let duration = Duration::from_millis(app.clock.milliseconds_since(started));
        if invocation.time_left() <= duration * 2 {
            return Ok(Progress::Unfinished);
        }
    }
}

/// Writes the next part. An export that has expired or is not running is done.
async fn write_part(app: &App, merchant: &MerchantId, id: &ExportId) -> Result<Progress, Failure> {
    let now = app.clock.now();
    let Some(export) = app.store.export(merchant, id, now).await? else { return Ok(Progress::Done) };
    let ExportState::Running(progress) = &export.state else { return Ok(Progress::Done) };
    let running = app.store.running_export(merchant, now).await?;
    let Some(running) = running.filter(|running| running.export_id == export.id) else {
        return fail(app, &export, None, "another one has started meanwhile").await;
    };
    // Another export could start while this worker is writing.
    if later(now, MAX_WORKER_TIME) >= progress.fails_at {
        return fail(app, &export, Some(&running), "no part was written for too long").await;
    }

    let Some(rest) = rest(app, progress).await? else { return restart(app, &export, &running, progress).await };
    let piece = next_piece(&app.store, &export, progress.position.as_ref(), rest, MIN_PART_BYTES, now).await?;
    if piece.end.is_some() && piece.csv.len() < MIN_PART_BYTES {
        // Under a new name, so that a worker that comes late replaces nothing.
        let key = format!("{}.{}", export.object_key, app.random.uuid(now));
        app.documents().put_as(&key, Bytes::from(piece.csv), CONTENT_TYPE).await?;
        let next = progress.with_rest(key, piece.rows, piece.end, app.clock.now());
        app.store.save_progress(&export, &running, next).await?;
        return Ok(Progress::Unfinished);
    }
    let upload_id = match &progress.upload_id {
        Some(upload_id) => upload_id.clone(),
        None => start_upload(app, &export).await?,
    };
    let (files, key, number) = (app.documents(), &export.object_key, progress.parts.len() + 1);
    let part = files.upload_part(key, &upload_id, number, Bytes::from(piece.csv)).await?;
    let is_last = piece.end.is_none();
    let next = part.map(|part| progress.with_upload(upload_id.clone()).with_part(part, piece.rows, piece.end, app.clock.now()));
    let is_written = match &next {
        Some(next) if is_last => files.complete_upload(key, &upload_id, &next.parts).await?,
        next => next.is_some(),
    };
    match next.filter(|_| is_written) {
        None => restart(app, &export, &running, progress).await,
        Some(next) if is_last => {
            app.store.end_export(&export, Some(&running), ExportState::Ready { rows: next.rows }).await?;
            Ok(Progress::Done)
        }
        Some(next) => {
            app.store.save_progress(&export, &running, next).await?;
            Ok(Progress::Unfinished)
        }
    }
}

/// The rows that do not fill a part yet. `None` if they are gone.
async fn rest(app: &App, progress: &ExportProgress) -> Result<Option<String>, Failure> {
    let Some(key) = &progress.rest else { return Ok(Some(String::new())) };
    let file = app.documents().get(key).await?;
    Ok(file.and_then(|file| String::from_utf8(file.bytes.into()).ok()))
}

async fn start_upload(app: &App, export: &Export) -> Result<String, Failure> {
    let file_name = format!("{}-{}-{}.csv", export.kind.name(), export.days.from, export.days.to);
    let download = Download { content_type: CONTENT_TYPE, file_name: &file_name };
    Ok(app.documents().start_upload(&export.object_key, download).await?)
}

/// Begins the file again. Its upload is gone if a worker completed it and died before it saved that.
async fn restart(
    app: &App,
    export: &Stored<Export>,
    running: &Stored<RunningExport>,
    progress: &ExportProgress,
) -> Result<Progress, Failure> {
    let Some(restarted) = progress.restarted(app.clock.now()) else {
        return fail(app, export, Some(running), "its upload was gone too often").await;
    };
    tracing::warn!(restarts = restarted.restarts, "the upload of an export is gone; its file is begun again");
    app.store.save_progress(export, running, restarted).await?;
    Ok(Progress::Unfinished)
}

async fn fail(
    app: &App,
    export: &Stored<Export>,
    running: Option<&Stored<RunningExport>>,
    cause: &'static str,
) -> Result<Progress, Failure> {
    tracing::error!(cause, "an export failed");
    app.store.end_export(export, running, ExportState::Failed).await?;
    Ok(Progress::Done)
}
