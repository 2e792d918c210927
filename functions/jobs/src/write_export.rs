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
use shared::projections::model::export::{Export, ExportFormat, ExportProgress, ExportState, MAX_WORKBOOK_ROWS};
use shared::projections::rows::exports::RunningExport;
use shared::values::{ExportId, MerchantId, later};
use tokio::task::spawn_blocking;

use crate::outcome::{Failure, Progress};
use crate::workbook::Sheet;

/// Longer than a worker can run.
const MAX_WORKER_TIME: SignedDuration = SignedDuration::from_mins(2);
const ROWS_TYPE: &str = "application/x-ndjson";
const WORKBOOK_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const CONTENT_TYPE: &str = "text/csv; charset=utf-8; header=present";

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Part,
    /// All rows of a workbook, which is made by a worker that has all of its time for it.
    Rows,
    /// All that is to be written.
    End,
}

/// Writes parts as long as there is time for another one.
pub(crate) async fn write(app: &App, invocation: &Invocation, merchant: &MerchantId, id: &ExportId) -> Result<Progress, Failure> {
    loop {
        let started = app.clock.now();
        match write_part(app, merchant, id).await? {
            Step::Part => {}
            Step::Rows => return Ok(Progress::Unfinished),
            Step::End => return Ok(Progress::Done),
        }
        // The next part takes about as long as this one, but not the workbook.
        let duration = Duration::from_millis(app.clock.milliseconds_since(started));
        if invocation.time_left() <= duration * 2 {
            return Ok(Progress::Unfinished);
        }
    }
}

/// Writes the next part. An export that has expired or is not running is done.
async fn write_part(app: &App, merchant: &MerchantId, id: &ExportId) -> Result<Step, Failure> {
    let now = app.clock.now();
    let Some(export) = app.store.export(merchant, id, now).await? else { return Ok(Step::End) };
    let ExportState::Running(progress) = &export.state else { return Ok(Step::End) };
    let running = app.store.running_export(merchant, now).await?;
    let Some(running) = running.filter(|running| running.export_id == export.id) else {
        return fail(app, &export, None, "another one has started meanwhile").await;
    };
    // Another export could start while this worker is writing.
    if later(now, MAX_WORKER_TIME) >= progress.fails_at {
        return fail(app, &export, Some(&running), "no part was written for too long").await;
    }

    if export.format == ExportFormat::Xlsx {
        return write_workbook(app, &export, &running, progress).await;
    }
    let Some(rest) = rest(app, progress).await? else { return restart(app, &export, &running, progress).await };
    let piece = next_piece(&app.store, &export, progress.position.as_ref(), rest, MIN_PART_BYTES, now).await?;
    if piece.end.is_some() && piece.text.len() < MIN_PART_BYTES {
        let key = put_aside(app, &export, piece.text, CONTENT_TYPE).await?;
        let next = progress.with_rest(key, piece.rows, piece.end, app.clock.now());
        app.store.save_progress(&export, &running, next).await?;
        return Ok(Step::Part);
    }
    let upload_id = match &progress.upload_id {
        Some(upload_id) => upload_id.clone(),
        None => start_upload(app, &export).await?,
    };
    let (files, key, number) = (app.documents(), &export.object_key, progress.parts.len() + 1);
    let part = files.upload_part(key, &upload_id, number, Bytes::from(piece.text)).await?;
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
            Ok(Step::End)
        }
        Some(next) => {
            app.store.save_progress(&export, &running, next).await?;
            Ok(Step::Part)
        }
    }
}

/// Stores rows for the next step, under a new name, so that a worker that comes late replaces nothing. Returns their key.
async fn put_aside(app: &App, export: &Export, rows: String, content_type: &str) -> Result<String, Failure> {
    let key = format!("{}.{}", export.object_key, app.random.uuid(app.clock.now()));
    app.documents().put_as(&key, Bytes::from(rows), content_type).await?;
    Ok(key)
}

/// The rows that do not fill a part yet. `None` if they are gone.
async fn rest(app: &App, progress: &ExportProgress) -> Result<Option<String>, Failure> {
    let Some(key) = &progress.rest else { return Ok(Some(String::new())) };
    let file = app.documents().get(key).await?;
    Ok(file.and_then(|file| String::from_utf8(file.bytes.into()).ok()))
}

fn file_name(export: &Export) -> String {
    format!("{}-{}-{}.{}", export.kind.name(), export.days.from, export.days.to, export.format.extension())
}

/// Reads the next rows of a workbook, or makes it once all are read: in one step, which is repeated if its worker dies.
async fn write_workbook(
    app: &App,
    export: &Stored<Export>,
    running: &Stored<RunningExport>,
    progress: &ExportProgress,
) -> Result<Step, Failure> {
    if !progress.pieces.is_empty() && progress.position.is_none() {
        let Some(workbook) = workbook(app, export, progress).await? else {
            return fail(app, export, Some(running), "its rows are gone").await;
        };
        let download = Download { content_type: WORKBOOK_TYPE, file_name: &file_name(export) };
        app.documents().put_download(&export.object_key, Bytes::from(workbook), download).await?;
        app.store.end_export(export, Some(running), ExportState::Ready { rows: progress.rows }).await?;
        return Ok(Step::End);
    }
    let now = app.clock.now();
    let piece = next_piece(&app.store, export, progress.position.as_ref(), String::new(), MIN_PART_BYTES, now).await?;
    if progress.rows + piece.rows > MAX_WORKBOOK_ROWS {
        app.store.end_export(export, Some(running), ExportState::TooManyRows).await?;
        return Ok(Step::End);
    }
    let step = if piece.end.is_none() { Step::Rows } else { Step::Part };
    let key = put_aside(app, export, piece.text, ROWS_TYPE).await?;
    let next = progress.with_piece(key, piece.rows, piece.end, app.clock.now());
    app.store.save_progress(export, running, next).await?;
    Ok(step)
}

/// Computes on a thread of its own: other jobs of this worker go on. `None` if rows are gone.
async fn workbook(app: &App, export: &Export, progress: &ExportProgress) -> Result<Option<Vec<u8>>, Failure> {
    let mut sheet = Sheet::new(export.kind, export.days.zone())?;
    for piece in &progress.pieces {
        let Some(file) = app.documents().get(piece).await? else { return Ok(None) };
        let Ok(rows) = String::from_utf8(file.bytes.into()) else { return Ok(None) };
        sheet = spawn_blocking(move || sheet.add(&rows).map(|()| sheet)).await??;
    }
    Ok(Some(spawn_blocking(move || sheet.finish()).await??))
}

async fn start_upload(app: &App, export: &Export) -> Result<String, Failure> {
    let download = Download { content_type: CONTENT_TYPE, file_name: &file_name(export) };
    Ok(app.documents().start_upload(&export.object_key, download).await?)
}

/// Begins the file again. Its upload is gone if a worker completed it and died before it saved that.
async fn restart(
    app: &App,
    export: &Stored<Export>,
    running: &Stored<RunningExport>,
    progress: &ExportProgress,
) -> Result<Step, Failure> {
    let Some(restarted) = progress.restarted(app.clock.now()) else {
        return fail(app, export, Some(running), "its upload was gone too often").await;
    };
    tracing::warn!(restarts = restarted.restarts, "the upload of an export is gone; its file is begun again");
    app.store.save_progress(export, running, restarted).await?;
    Ok(Step::Part)
}

async fn fail(
    app: &App,
    export: &Stored<Export>,
    running: Option<&Stored<RunningExport>>,
    cause: &'static str,
) -> Result<Step, Failure> {
    tracing::error!(cause, "an export failed");
    app.store.end_export(export, running, ExportState::Failed).await?;
    Ok(Step::End)
}
