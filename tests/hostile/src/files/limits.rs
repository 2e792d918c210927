//! The uploads of a day, sent at the same moment.

use futures_util::future::join_all;

use super::names::Spelling;
use super::samples::SMALLEST;
use super::{MEDIA, Portal, UPLOAD};
use crate::effort::Effort;
use crate::report::Report;

pub(super) async fn attack(portal: &Portal, effort: Effort, report: &mut Report) {
    for (route, user, limit) in [(MEDIA, "u-images", 200), (UPLOAD, "u-documents", 150)] {
        let token = portal.system.sign_in(user).await;
        // Most of them one after the other: at the same moment, few are admitted.
        let first = limit - effort.choose(30, 80);
        let mut admitted = 0;
        for _ in 0..first {
            admitted += usize::from(portal.upload(&token, route, SMALLEST).await.status == 200);
        }
        let mut waves = 0;
        loop {
            let headers = Spelling::Quoted.headers("a.gif");
            let wave = join_all((0..20).map(|_| portal.send(portal.form(&token, route, &headers, SMALLEST)))).await;
            let stored = wave.iter().filter(|answer| answer.status == 200).count();
            if let Some(other) = wave.iter().find(|answer| !matches!(answer.status, 200 | 429)) {
                report.breach(format!("an upload at the limit was answered with {other:?}"));
            }
            admitted += stored;
            waves += 1;
            // Ends with a wave at the limit, of which nothing was stored.
            if stored == 0 && admitted >= limit || waves == 60 {
                break;
            }
        }
        if admitted != limit {
            report.breach(format!("{admitted} uploads to {route} were stored in a day"));
        }
    }
    report.count(200 + 150, "uploads at the limits of a day");
}
