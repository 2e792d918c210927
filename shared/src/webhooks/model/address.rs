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
        let public = "8.8.8.8 1.1.1.1 99.255.255.255 100.63.255.255 100.128.0.0 169.253.255.255 172.15.255.255 172.32.0.0 \
                      192.0.1.1 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700:4700::1111 \
                      2a00:1450:4001:81b::200e 2001:4860:4860::8888 64:ff9b::8.8.8.8 2002:808:808::1";
        let others = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1 \
                      169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 \
                      192.52.193.1 192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 \
                      224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 \
                      ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 \
                      64:ff9b:1::8.8.8.8 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 \
                      2001:20::1 2001:db8::1 2002:7f00:1::1 2002:a00:1::1 2002:a9fe:a9fe::1 2002:c0a8:1::1 3fff::1 3fff:fff::1 \
                      4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1";
        for (texts, expected) in [(public, true), (others, false)] {
            for text in texts.split(' ') {
                assert_eq!(is_public(text.parse().unwrap()), expected, "{text}");
            }
        }
    }
}
