//! Images inlined in the response, so that they load on every page that embeds the widget.

/// Returns the image of a gift card in this color (`#rrggbb`) as a `data:` URL.
pub(crate) fn data_url(color: &str) -> String {
    let color = color.trim_start_matches('#');
    format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 20'%3E\
         %3Crect width='32' height='20' rx='2' fill='%23{color}'/%3E\
         %3Cpath d='M0 12h32M22 0v20' stroke='%23fff' stroke-opacity='.6'/%3E%3C/svg%3E"
    )
}
