//! Pictures that come with the answer itself, so that they show wherever the widget is embedded.

/// A plain gift card of this colour (`#rrggbb`), as a `data:` URL.
pub(crate) fn of_card(colour: &str) -> String {
    let colour = colour.trim_start_matches('#');
    format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 20'%3E\
         %3Crect width='32' height='20' rx='2' fill='%23{colour}'/%3E\
         %3Cpath d='M0 12h32M22 0v20' stroke='%23fff' stroke-opacity='.6'/%3E%3C/svg%3E"
    )
}
