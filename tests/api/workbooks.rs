//! Exports as workbooks (xlsx).

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use jiff::civil::{Date, DateTime};
use serde_json::{Value, json};
use shared::base::invocation::Invocation;
use shared::db::Write;
use shared::projections::model::export::{ExportProgress, ExportState};
use shared::projections::model::tally::{DatedSeries, Series, Sum, Tally};
use shared::projections::rows::tallies::{Bucket, bucket_item};
use shared::values::{ExportId, MerchantId, Minor, Minute};
use world::shop::with;
use world::{Caller, System, error_code};
use zip::ZipArchive;

use crate::exports::{EXPORTS, body, download, drain, failed_job, get, many_orders, order, start, system_with};

/// A cell as a spreadsheet shows it: `a text`, or a number and its format.
type Row = Vec<String>;

fn workbook(kind: &str, from: &str, to: &str) -> Value {
    with(body(kind, from, to), &json!({"format": "xlsx"}))
}

fn part(file: &[u8], name: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(file)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(text.split_once(start)?.1.split_once(end)?.0)
}

fn unescaped(text: &str) -> String {
    let characters = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("_x005F_", "_"), ("&amp;", "&")];
    characters.iter().fold(text.to_owned(), |text, (escaped, character)| text.replace(escaped, character))
}

fn formats(file: &[u8]) -> Vec<String> {
    let styles = part(file, "xl/styles.xml");
    let attribute = |tag: &str, name: &str| between(tag, &format!("{name}=\""), "\"").unwrap().to_owned();
    let own: BTreeMap<String, String> = styles
        .split("<numFmt ")
        .skip(1)
        .map(|tag| (attribute(tag, "numFmtId"), attribute(tag, "formatCode")))
        .chain([("0", "General"), ("1", "0"), ("2", "0.00")].map(|(id, format)| (id.to_owned(), format.to_owned())))
        .collect();
    let cells = between(&styles, "<cellXfs ", "</cellXfs>").unwrap();
    cells.split("<xf ").skip(1).map(|tag| own[&attribute(tag, "numFmtId")].clone()).collect()
}

/// The rows of the sheet, by the names of their columns, without empty cells.
fn rows(file: &[u8]) -> Vec<BTreeMap<String, String>> {
    let (sheet, formats) = (part(file, "xl/worksheets/sheet1.xml"), formats(file));
    let cells = |row: &str| -> Vec<(String, String)> {
        let cell = |cell: &str| {
            let column = between(cell, "r=\"", "\"").unwrap().trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
            let text = between(cell, "<is><t", "</t>").map(|text| unescaped(text.split_once('>').unwrap().1));
            let style = between(cell, "s=\"", "\"").map_or(0, |style| style.parse::<usize>().unwrap());
            let number = || format!("{} as {}", between(cell, "<v>", "</v>").unwrap(), formats[style]);
            (column, text.unwrap_or_else(number))
        };
        row.split("<c ").skip(1).map(cell).collect()
    };
    let mut rows = sheet.split("<row ").skip(1).map(cells);
    let columns: BTreeMap<String, String> = rows.next().unwrap().into_iter().collect();
    rows.map(|row| row.into_iter().map(|(column, value)| (columns[&column].clone(), value)).collect()).collect()
}

async fn export(system: &System, caller: &Caller, body: &Value) -> Vec<u8> {
    let id = start(caller, body).await;
    drain(system).await;
    download(&get(caller, &id).await).await.bytes().await.unwrap().to_vec()
}

/// A local time as a spreadsheet counts days.
fn days(local: &str) -> f64 {
    let local: DateTime = local.parse().unwrap();
    let zero = Date::constant(1899, 12, 30).to_datetime(jiff::civil::Time::midnight());
    local.duration_since(zero).as_secs_f64() / 86_400.0
}

/// Texts of which spreadsheets make something else, and what a cell holds of them.
fn texts() -> [(String, String); 9] {
    let same = |text: &str| (text.to_owned(), text.to_owned());
    [
        same("=HYPERLINK(\"http://x.example\")"),
        same("00123"),
        same("1e5"),
        same("山田 太郎"),
        same("محمد علي"),
        same("_x0041_ <b>&amp;</b>"),
        ("line\r\nbreak\rand\ttab".to_owned(), "line\nbreak\nand\ttab".to_owned()),
        ("a\u{1}b\u{b}c\u{fffe}d\u{ffff}e".to_owned(), "abcde".to_owned()),
        (format!("{}😀😀", "é".repeat(32_766)), "é".repeat(32_766)),
    ]
}

/// Ids of orders, their amounts, and the cells for them. A spreadsheet's numbers have 15 digits.
const AMOUNTS: [(&str, &str, i64, &str); 6] = [
    ("o-dinar", "KWD", 1_005, "1.005 as 0.000"),
    ("o-large", "SEK", 888_888_888_888_888, "8888888888888.88 as 0.00"),
    // LibreOffice has it, and shows it rounded.
    ("o-large-99", "SEK", 999_999_999_999_999, "9999999999999.99 as 0.00"),
    ("o-larger", "SEK", 1_000_000_000_000_000, "10000000000000.00"),
    ("o-negative", "SEK", -5, "-0.05 as 0.00"),
    ("o-yen", "JPY", 1_000, "1000 as 0"),
];

/// Orders with these texts as buyers, and then these amounts.
async fn workbook_of_texts_and_amounts() -> Vec<u8> {
    let buyers = texts().into_iter().enumerate().map(|(number, (text, _))| {
        let fields = json!({"buyerName": text, "currency": "SEK", "totalAmountMinor": 25_050});
        with(order(&format!("o-{number}"), &format!("2026-07-01T10:00:0{number}Z")), &fields)
    });
    let amounts = AMOUNTS.map(|(id, currency, minor, _)| {
        with(order(id, "2026-07-02T22:00:00.500Z"), &json!({"currency": currency, "totalAmountMinor": minor}))
    });
    let orders: Vec<Value> = buyers.chain(amounts).collect();
    let (system, _) = system_with(&json!({"orders": orders})).await;
    export(&system, &system.sign_in("u-admin").await, &workbook("orders", "2026-07-01", "2026-07-03")).await
}

#[tokio::test]
async fn cells_have_types_and_texts_stay_texts() {
    let file = workbook_of_texts_and_amounts().await;
    let (rows, texts) = (rows(&file), texts());
    assert_eq!(rows.len(), texts.len() + AMOUNTS.len());
    for (row, (_, expected)) in rows.iter().zip(&texts) {
        assert_eq!(&row["buyerName"], expected);
        assert_eq!((&*row["totalMinor"], &*row["total"], &*row["currency"]), ("25050 as 0", "250.5 as 0.00", "SEK"));
    }
    for (row, (id, currency, minor, total)) in rows[texts.len()..].iter().zip(AMOUNTS) {
        assert_eq!((&*row["id"], &*row["currency"], &*row["total"]), (id, currency, total));
        let has_too_many_digits = minor >= 1_000_000_000_000_000;
        let expected = if has_too_many_digits { minor.to_string() } else { format!("{minor} as 0") };
        assert_eq!(row["totalMinor"], expected);
        // Half past midnight in Stockholm.
        let (day, time) = (row["date"].split_once(" as ").unwrap(), row["createdAt"].split_once(" as ").unwrap());
        assert_eq!(day, (&*days("2026-07-03T00:00:00").to_string(), "yyyy-mm-dd"));
        assert_eq!(time.1, "yyyy-mm-dd hh:mm:ss");
        assert!((time.0.parse::<f64>().unwrap() - days("2026-07-03T00:00:00.5")).abs() < 1e-8, "{time:?}");
    }
    let sheet = part(&file, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<pane ySplit=\"1\"") && sheet.contains("state=\"frozen\""), "the header stays in view");
}

/// It writes texts in quotes, and numbers and dates without.
#[tokio::test]
#[ignore = "needs LibreOffice, which `.ci/nightly spreadsheets` installs"]
async fn a_spreadsheet_program_reads_the_same_types_and_texts() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("orders.xlsx"), workbook_of_texts_and_amounts().await).unwrap();
    let home = format!("-env:UserInstallation=file://{}", directory.path().join("home").display());
    let as_csv = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true";
    let status = std::process::Command::new("soffice")
        .args([&home, "--headless", "--convert-to", as_csv, "orders.xlsx"])
        .current_dir(directory.path())
        .status();
    assert!(status.unwrap().success());
    let read = std::fs::read_to_string(directory.path().join("orders.csv")).unwrap();
    for (number, (_, text)) in texts().iter().enumerate() {
        let (time, text) = (format!("2026-07-01,2026-07-01 12:00:0{number}"), text.replace('"', "\"\""));
        assert!(
            read.contains(&format!(",{time},\"PENDING_PAYMENT\",\"PAYMENT_CREATED\",,25050,250.50,\"SEK\",0,\"{text}\",,,\n")),
            "{text}"
        );
    }
    for amount in
        ["1005,1.005", "888888888888888,8888888888888.88", "\"1000000000000000\",\"10000000000000.00\"", "-5,-0.05", "1000,1000"]
    {
        assert!(
            read.contains(&format!(",2026-07-03,2026-07-03 00:00:00,\"PENDING_PAYMENT\",\"PAYMENT_CREATED\",,{amount},\"")),
            "{amount}"
        );
    }
}

#[tokio::test]
async fn every_kind_has_the_columns_of_its_csv() {
    let (system, _) = system_with(&json!({})).await;
    let admin = system.sign_in("u-admin").await;
    for kind in ["orders", "redemptions", "settlements"] {
        let id = start(&admin, &workbook(kind, "2026-07-01", "2026-07-03")).await;
        drain(&system).await;
        let ready = get(&admin, &id).await;
        let key = ready.text("/data/url").split('?').next().unwrap().to_owned();
        assert!(key.contains("/exports/m-aurora/") && key.rsplit('.').next() == Some("xlsx"), "{key}");
        let file = download(&ready).await;
        for (name, value) in [
            ("content-type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet".to_owned()),
            ("content-disposition", format!("attachment; filename=\"{kind}-2026-07-01-2026-07-03.xlsx\"")),
            ("cache-control", "no-store".to_owned()),
        ] {
            assert_eq!(file.headers()[name], value);
        }
        let bytes = file.bytes().await.unwrap();
        let header = part(&bytes, "xl/worksheets/sheet1.xml");
        let names: Row = header.split("<c ").skip(1).map(|cell| between(cell, "<t>", "</t>").unwrap().to_owned()).collect();
        let id = start(&admin, &body(kind, "2026-07-01", "2026-07-03")).await;
        drain(&system).await;
        let csv = download(&get(&admin, &id).await).await.text().await.unwrap();
        assert_eq!(names.join("\",\""), csv.trim().trim_matches('"'), "{kind}");
    }
}

#[tokio::test]
async fn a_worker_that_dies_anywhere_is_made_up_for() {
    let (system, _) = system_with(&many_orders()).await;
    let admin = system.sign_in("u-admin").await;
    let july = workbook("orders", "2026-07-01", "2026-07-31");
    let fault =
        |operation: &str, kind: &str| json!([{"target": "s3", "match": operation, "kind": kind, "value": 400, "times": 3}]);
    let app = system.local.app();
    // Rows, or the workbook, are not stored, or they are and the worker does not know; or rows cannot be read.
    for (are_rows_stored, faults) in [
        (false, fault("PutObject", "status")),
        (false, fault("PutObject", "after")),
        (false, fault("GetObject", "status")),
        (true, fault("PutObject", "status")),
        (true, fault("PutObject", "after")),
    ] {
        if are_rows_stored {
            system.set_fault("s3", "GetObject", "status", 400).await;
        } else {
            system.set_faults(faults.clone()).await;
        }
        let id = start(&admin, &july).await;
        if are_rows_stored {
            failed_job(app).await;
            system.set_faults(faults.clone()).await;
        }
        drain(&system).await;
        let file = download(&get(&admin, &id).await).await.bytes().await.unwrap();
        let ids: Vec<String> = rows(&file).into_iter().map(|mut row| row.remove("id").unwrap()).collect();
        assert_eq!(ids, (0..600).map(|number| format!("o-{number:03}")).collect::<Vec<_>>(), "{are_rows_stored} {faults}");
    }
    // No worker has time for more than a step.
    system.set_fault("s3", "PutObject", "status", 400).await;
    let id = start(&admin, &july).await;
    let job = failed_job(app).await;
    system.set_faults(json!([])).await;
    let no_time = Invocation::new(&app.clock, "r".to_owned()).until(jiff::Timestamp::MIN);
    ::jobs::run(app, &no_time, job).await.unwrap();
    drain(&system).await;
    assert_eq!(rows(&download(&get(&admin, &id).await).await.bytes().await.unwrap()).len(), 600);
}

#[tokio::test]
async fn a_workbook_has_at_most_200_000_rows() {
    let (system, _) = system_with(&json!({})).await;
    let admin = system.sign_in("u-admin").await;
    let (store, merchant, now) = (system.store(), MerchantId::new("m-aurora"), system.local.app().clock.now());
    let july = workbook("orders", "2026-07-01", "2026-07-31");
    system.load_fixtures(&json!({"orders": [order("o-1", "2026-07-02T10:00:00Z")]})).await;
    for (rows_read, expected) in [
        (199_999, json!({"status": "READY", "rows": 200_000, "code": null})),
        (200_000, json!({"status": "FAILED", "rows": null, "code": "TOO_MANY_ROWS"})),
    ] {
        system.set_fault("s3", "PutObject", "status", 400).await;
        let id = start(&admin, &july).await;
        failed_job(system.local.app()).await;
        let export = store.export(&merchant, &ExportId::new(&id), now).await.unwrap().unwrap();
        let progress = ExportProgress { rows: rows_read, ..ExportProgress::new(now) };
        let with_progress = export.with_state(ExportState::Running(progress));
        store.commit(vec![Write::replace(&export, &with_progress).unwrap()]).await.unwrap();
        system.set_faults(json!([])).await;
        drain(&system).await;
        let ended = get(&admin, &id).await;
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(ended.at(&format!("/data/{field}")), value, "{rows_read}");
        }
    }

    // Tallies tell that there are more.
    let series = DatedSeries::new(Series::Orders, &system.merchant("m-aurora").await.calendars.serving);
    let mut tally = Tally::default();
    for _ in 0..=200_000 {
        tally.add(["PAID", "PAYMENT_CREATED", "PASSED", "SEK"], Minor::ZERO);
    }
    let day = Sum::of_day(&[(Minute::of("2026-07-05T10:00:00Z".parse().unwrap()), tally)]);
    let row = bucket_item(&merchant, &series, &Bucket::Day("2026-07-05".parse().unwrap()), 1, day).unwrap();
    store.import(vec![vec![row]]).await.unwrap();
    for (fields, code) in [
        (json!({}), Some((400, "TOO_MANY_ROWS"))),
        (json!({"status": "PAID", "paymentStatus": "PAYMENT_CREATED"}), Some((400, "TOO_MANY_ROWS"))),
        (json!({"format": "csv"}), None),
        (json!({"status": "COMPLETED"}), None),
        (json!({"paymentStatus": "PAYMENT_FAILED"}), None),
        (json!({"q": "o-1"}), None),
        (json!({"to": "2026-07-04"}), None),
    ] {
        let response = admin.post(EXPORTS, &with(july.clone(), &fields)).await;
        match code {
            Some(code) => assert_eq!(error_code(&response), code, "{fields}"),
            None => assert_eq!(response.status, 202, "{fields}"),
        }
        drain(&system).await;
    }
}
