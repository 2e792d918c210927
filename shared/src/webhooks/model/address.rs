//! Which addresses messages can be sent to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one of the public internet. An address that contains another one, mapped or translated, is public if
/// that one is.
///
/// Source: IANA's special-purpose address registries for IPv4 and IPv6, and RFC 6890.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        // This network, private, loopback, multicast and reserved, with broadcast.
        (0 | 10 | 127 | 224.., ..)
        // Shared by carriers.
        | (100, 64..=127, _)
        // Link-local, with the metadata service of clouds.
        | (169, 254, _)
        | (172, 16..=31, _)
        // Protocol assignments, documentation, relays of 6to4, AS112, private.
        | (192, 0, 0 | 2)
        | (192, 31, 196)
        | (192, 52, 193)
        | (192, 88, 99)
        | (192, 168, _)
        | (192, 175, 48)
        // Benchmarks and documentation.
        | (198, 18 | 19, _)
        | (198, 51, 100)
        | (203, 0, 113) => false,
        _ => true,
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    match segments {
        // Translated (RFC 6052), and 6to4: public if the IPv4 address in them is.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => is_public_v4(embedded(high, low)),
        // Protocol assignments, with Teredo and ORCHID; documentation; the former documentation range of RFC 9637.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Global unicast. Everything else is unspecified, loopback, mapped, discarded, local, multicast or reserved.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for (text, expected) in [
            ("8.8.8.8", true),
            ("1.1.1.1", true),
            ("99.255.255.255", true),
            ("100.63.255.255", true),
            ("100.128.0.0", true),
            ("169.253.255.255", true),
            ("172.15.255.255", true),
            ("172.32.0.0", true),
            ("192.0.1.1", true),
            ("192.167.255.255", true),
            ("198.17.255.255", true),
            ("198.20.0.0", true),
            ("223.255.255.255", true),
            ("2606:4700:4700::1111", true),
            ("2a00:1450:4001:81b::200e", true),
            ("2001:4860:4860::8888", true),
            ("64:ff9b::8.8.8.8", true),
            ("2002:808:808::1", true),
            ("0.0.0.0", false),
            ("0.1.2.3", false),
            ("10.0.0.1", false),
            ("10.255.255.255", false),
            ("100.64.0.0", false),
            ("100.127.255.255", false),
            ("127.0.0.1", false),
            ("127.255.255.254", false),
            ("169.254.0.1", false),
            ("169.254.169.254", false),
            ("169.254.170.2", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.0.0.1", false),
            ("192.0.0.170", false),
            ("192.0.2.1", false),
            ("192.31.196.1", false),
            ("192.52.193.1", false),
            ("192.88.99.1", false),
            ("192.168.0.1", false),
            ("192.175.48.1", false),
            ("198.18.0.1", false),
            ("198.19.255.255", false),
            ("198.51.100.1", false),
            ("203.0.113.1", false),
            ("224.0.0.1", false),
            ("239.255.255.255", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::127.0.0.1", false),
            ("::8.8.8.8", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:8.8.8.8", false),
            ("::ffff:0:8.8.8.8", false),
            ("64:ff9b::127.0.0.1", false),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::169.254.169.254", false),
            ("64:ff9b:1::8.8.8.8", false),
            ("100::1", false),
            ("100:0:0:1::1", false),
            ("2001::1", false),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", false),
            ("2001:2::1", false),
            ("2001:10::1", false),
            ("2001:20::1", false),
            ("2001:db8::1", false),
            ("2002:7f00:1::1", false),
            ("2002:a00:1::1", false),
            ("2002:a9fe:a9fe::1", false),
            ("2002:c0a8:1::1", false),
            ("3fff::1", false),
            ("3fff:fff::1", false),
            ("4000::1", false),
            ("5f00::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("fdff::1", false),
            ("fe80::1", false),
            ("febf::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
            ("ff0e::1", false),
        ] {
            assert_eq!(is_public(text.parse().unwrap()), expected, "{text}");
        }
    }
}
