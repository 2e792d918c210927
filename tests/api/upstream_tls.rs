//! A card network and a verifier with a certificate authority of their own, which demand a certificate of the portal.

use std::net::SocketAddr;
use std::sync::Arc;

use local::Options;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use world::System;
use world::shop::{REDEEM, payment};

use crate::onboarding::{SUBMIT, applicant_fixtures, complete_submission};

pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// The fields of a secret with a certificate that this authority has signed.
    fn identity(&self) -> Value {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(["portal.example".to_owned()]).unwrap().signed_by(&key, &self.0).unwrap();
        json!({"clientCertificate": certificate.pem(), "clientKey": key.serialize_pem()})
    }

    /// The fields of a secret that trusts this authority.
    fn trusted(&self) -> Value {
        json!({"certificateAuthorities": self.0.pem()})
    }

    /// Of a server on this machine, for clients that this authority has signed.
    fn tls_acceptor(&self) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &self.0).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut clients = RootCertStore::empty();
        clients.add(self.0.der().clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(clients.into(), provider.clone()).build().unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// Passes on what the clients of an authority send to the server at this URL. Returns its own URL.
pub(crate) async fn behind_tls(url: &str, authority: &Authority) -> String {
    let server: SocketAddr = url.strip_prefix("http://").unwrap().parse().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = authority.tls_acceptor();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut client) = acceptor.accept(stream).await else { return };
                let mut server = TcpStream::connect(server).await.unwrap();
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    format!("https://localhost:{port}")
}

fn with(fields: &[&Value]) -> Value {
    let members = fields.iter().flat_map(|fields| fields.as_object().unwrap().clone());
    Value::Object(members.collect())
}

/// A system whose card network and verifier are those of `upstreams`, over TLS, with these fields in both secrets.
async fn portal(upstreams: &System, authority: &Authority, tls: &[&Value]) -> System {
    let addresses = &upstreams.local.listening;
    let card_network = Some(behind_tls(&addresses.card_network, authority).await);
    let verifier = Some(behind_tls(&addresses.verifier, authority).await);
    let system = System::with_options(Options { card_network, verifier, ..Options::default() }).await;
    system.load_fixtures(&applicant_fixtures()).await;
    let tls = with(tls);
    let network_key = json!({"apiKey": "local-card-network-key"});
    system.local.rotate_secret("portal/card-network", &with(&[&network_key, &tls])).await.unwrap();
    let verifier_keys = json!({"apiKey": "local-verifier-key", "signingKey": "local-verifier-signing-key"});
    system.local.rotate_secret("portal/verifier", &with(&[&verifier_keys, &tls])).await.unwrap();
    system
}

#[tokio::test]
async fn calls_trust_the_authorities_of_the_secret_and_show_its_certificate() {
    let upstreams = System::start().await;
    let authority = Authority::new("upstreams");
    let system = portal(&upstreams, &authority, &[&authority.trusted(), &authority.identity()]).await;
    let till = system.sign_in("u-till").await;
    let card = till.get("/api/bff/pos/card/QR-500").await;
    assert_eq!((card.status, card.at("/data/valueRemains")), (200, &json!(500)), "{card:?}");
    till.post(REDEEM, &payment("QR-500", 100)).await.ok();
    assert_eq!(till.get("/api/bff/pos/card/QR-500").await.at("/data/valueRemains"), &json!(400));
    assert_eq!(system.sign_in("u-new").await.post(SUBMIT, &complete_submission()).await.status, 200);
    system.finish_work().await;
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_of_another_authority_and_none_answers_another_certificate() {
    let upstreams = System::start().await;
    let (authority, other) = (Authority::new("upstreams"), Authority::new("another"));
    for (name, tls) in [
        ("no certificate", vec![authority.trusted()]),
        ("certificate of another authority", vec![authority.trusted(), other.identity()]),
        ("another authority", vec![other.trusted(), authority.identity()]),
        ("public authorities", vec![authority.identity()]),
    ] {
        let system = portal(&upstreams, &authority, &tls.iter().collect::<Vec<_>>()).await;
        let card = system.sign_in("u-till").await.get("/api/bff/pos/card/QR-500").await;
        assert_eq!(card.status, 502, "{name}: {card:?}");
        assert_eq!(system.sign_in("u-new").await.post(SUBMIT, &complete_submission()).await.status, 200);
        assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}), "{name}");
    }
    assert_eq!(upstreams.network_calls().await, Vec::<Value>::new());
}
