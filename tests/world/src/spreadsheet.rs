//! A spreadsheet that opens a CSV file.

/// What a spreadsheet reads: records after RFC 4180, section 2, with any separator. Quotes count where a cell begins.
pub fn spreadsheet(csv: &str, separator: char) -> Vec<Vec<String>> {
    let (mut records, mut cells, mut cell) = (vec![], vec![], String::new());
    let (mut is_quoted, mut begins) = (false, true);
    let mut chars = csv.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_record = !is_quoted && matches!(c, '\r' | '\n');
        if ends_record || (!is_quoted && c == separator) {
            cells.push(std::mem::take(&mut cell));
            begins = true;
            if ends_record {
                records.push(std::mem::take(&mut cells));
                chars.next_if(|next| c == '\r' && *next == '\n');
            }
            continue;
        }
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' if is_quoted || begins => is_quoted = !is_quoted,
            c => cell.push(c),
        }
        begins = false;
    }
    assert!(separator != ',' || (!is_quoted && cell.is_empty() && cells.is_empty()));
    records.push(vec![cell]);
    records
}
