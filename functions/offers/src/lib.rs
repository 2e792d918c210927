//! Gift card offers at the card network.
