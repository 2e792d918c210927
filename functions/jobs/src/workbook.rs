//! A workbook (xlsx) of an export, made of its finished rows. Its sheet is written to a temporary file, so that it needs little memory.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};
use shared::projections::exports::{columns, parse_rows};
use shared::projections::model::export::ExportKind;
use shared::values::csv::Cell;

use crate::outcome::Failure;

/// What a cell holds, in UTF-16 units.
const MAX_TEXT_LENGTH: usize = 32_767;
/// A spreadsheet keeps the first 15 digits of a number.
const MAX_NUMBER: u64 = 999_999_999_999_999;
/// A spreadsheet has no earlier dates: they are texts.
const FIRST_YEAR: i16 = 1900;
/// Wide enough for a time, in characters: a spreadsheet shows no part of a number.
const COLUMN_WIDTH: u32 = 20;

/// The sheet of an export while rows are added.
pub(crate) struct Sheet {
    workbook: Workbook,
    zone: TimeZone,
    date: Format,
    time: Format,
    /// By the number of decimals.
    numbers: [Format; 5],
    rows: u32,
}

impl Sheet {
    /// With a header row that stays in view. Times are shown in this time zone.
    pub(crate) fn new(kind: ExportKind, zone: TimeZone) -> Result<Self, XlsxError> {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name(kind.name())?.set_freeze_panes(1, 0)?;
        for (column, name) in (0..).zip(columns(kind)) {
            sheet.set_column_width(column, COLUMN_WIDTH)?.write_string(0, column, *name)?;
        }
        let format = |text: &str| Format::new().set_num_format(text);
        let numbers = ["0", "0.0", "0.00", "0.000", "0.0000"].map(format);
        let (date, time) = (format("yyyy-mm-dd"), format("yyyy-mm-dd hh:mm:ss"));
        Ok(Self { workbook, zone, date, time, numbers, rows: 1 })
    }

    /// Adds the rows of a piece of the export.
    pub(crate) fn add(&mut self, rows: &str) -> Result<(), Failure> {
        let sheet = self.workbook.worksheet_from_index(0)?;
        for cells in parse_rows(rows) {
            for (column, cell) in (0..).zip(cells?) {
                let place = (self.rows, column);
                match cell {
                    Cell::Text(text) => write_text(sheet, place, &text)?,
                    Cell::Integer(number) => write_number(sheet, place, number, &number.to_string(), self.numbers.first())?,
                    Cell::Units(amount) => {
                        let format = usize::try_from(amount.currency.exponent()).ok();
                        let format = format.and_then(|decimals| self.numbers.get(decimals));
                        write_number(sheet, place, amount.minor.get(), &amount.units(), format)?;
                    }
                    Cell::Date(date) => write_date(sheet, place, date.into(), &self.date)?,
                    Cell::Time(at) => write_date(sheet, place, at.to_zoned(self.zone.clone()).datetime(), &self.time)?,
                    Cell::Empty => {}
                }
            }
            self.rows += 1;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Vec<u8>, XlsxError> {
        self.workbook.save_to_buffer()
    }
}

/// Without what XML cannot carry. Line breaks are those of a spreadsheet.
fn write_text(sheet: &mut Worksheet, (row, column): (u32, u16), text: &str) -> Result<(), XlsxError> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut length = 0;
    let fits = |c: &char| {
        length += c.len_utf16();
        length <= MAX_TEXT_LENGTH
    };
    let is_text = |c: &char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    let text: String = text.chars().filter(is_text).take_while(fits).collect();
    sheet.write_string(row, column, text)?;
    Ok(())
}

/// `digits` are all digits of the number that `written` writes. With too many of them, it is a text.
fn write_number(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    digits: i64,
    written: &str,
    format: Option<&Format>,
) -> Result<(), XlsxError> {
    let number = written.parse::<f64>().ok().filter(|_| digits.unsigned_abs() <= MAX_NUMBER);
    match number.zip(format) {
        Some((number, format)) => sheet.write_number_with_format(row, column, number, format)?,
        None => sheet.write_string(row, column, written)?,
    };
    Ok(())
}

fn write_date(sheet: &mut Worksheet, (row, column): (u32, u16), at: DateTime, format: &Format) -> Result<(), XlsxError> {
    if at.year() < FIRST_YEAR {
        sheet.write_string(row, column, at.to_string())?;
    } else {
        sheet.write_datetime_with_format(row, column, at, format)?;
    }
    Ok(())
}
