# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Sulje
again = Yritä uudelleen
next-customer = Seuraava asiakas
not-known = Ei tiedossa

late-redeem-done = Vastaus tuli myöhässä, mutta veloitus onnistui: { $amount }, { $card }
late-redeem-failed = Kortilta ei veloitettu mitään: { $amount }, { $card }
late-issue-done = Vastaus tuli myöhässä, mutta kortti luotiin: { $amount }
late-issue-failed = Korttia ei luotu: { $amount }
no-journal = Tämä selain ei tallenna kassan tietoja, joten kortteja ei voi myydä eikä lunastaa. Poistu yksityisestä ikkunasta tai salli tämän sivun tallentaa tietoja ja lataa sivu uudelleen.
not-revoked = Portaaliin ei saatu yhteyttä, joten tällä laitteella on yhä käyttöoikeus. Se päättyy heti, kun portaaliin saadaan täältä yhteys. Jos haluat päättää sen nyt, poista kassan käyttöoikeus hallintapaneelin kohdassa ”Stores and tills”.
moving-redeem = { $amount } veloitetaan kortilta
moving-issue = Luodaan lahjakortti, { $amount }
moving-slow-redeem = Korttiverkosto on hidas. Summa veloitetaan enintään kerran.
moving-slow-issue = Korttiverkosto on hidas. Kortteja luodaan enintään yksi.

## Menu

menu-open-calls = Erään tapahtuman tulos ei ole vielä tiedossa. Yhdistämisen purkaminen hävittäisi sen: odota, kunnes tulos on tiedossa.
menu-unpairing = Yhdistämisen purkaminen kirjaa kassan ulos ja poistaa tämän päivän luettelon. Sen jälkeen kassa tarvitsee uuden koodin hallintapaneelista.
menu-signals = Ääni ja värinä, kun tapahtuma on valmis tai hylätty
menu-unpair = Pura yhdistäminen: { $till }
menu-language = Kieli
menu-language-browser = { $language } (kuten selain)
menu-customer-language = Tulostettujen korttien ja kuittien kieli
menu-customer-language-till = { $language } (kuten kassa)

## Pairing

pairing-title = Yhdistä tämä kassa
pairing-title-again = Yhdistä { $till } uudelleen
pairing-lead = Avaa hallintapaneelissa ”Stores and tills”, lisää kassa ja syötä sen koodi tähän.
pairing-lead-again = Kassa kirjattiin ulos. Syöttämäsi tiedot ovat tallella, kun kassa on taas yhdistetty.
pairing-code = Yhdistämiskoodi
pairing-hint = { $count } merkkiä. Koodi toimii kerran, 10 minuutin ajan.
pairing-too-short = Syötä koodin kaikki { $count } merkkiä.
pairing-button = Yhdistä kassa
pairing-busy = Yhdistetään
pairing-failed-connection = Ei yhteyttä. Yritä uudelleen.
pairing-failed-code = Koodi on väärä tai vanhentunut.
pairing-failed-attempts = Liian monta yritystä.
pairing-failed = Kassaa ei voitu yhdistää. Yritä uudelleen.

## Entering an amount

keypad-label = Summa
keypad-erase = Poista numero
enter-amount = Syötä summa
note-as-fast-as-scanner = Syöttö oli yhtä nopea kuin lukijalla. Tarkista summa ja paina sitten painiketta.
note-press-again = Tarkista summa ja paina sitten Enter-näppäintä uudelleen.
note-no-decimals = Valuutassa { $currency } ei ole desimaaleja. Desimaalierotin jätettiin pois.
note-separator = Desimaalierotin jätettiin pois.
note-too-many-decimals = Valuutassa { $currency } on { $decimals } desimaalia. { $key } jätettiin pois.
note-second-separator = Toinen desimaalierotin jätettiin pois.

## When to try again

retry-now = Yritä nyt uudelleen.
retry-seconds = Yritä uudelleen { $seconds } sekunnin kuluttua.
retry-minutes = Yritä uudelleen { $minutes } minuutin kuluttua.

## Cards

card-gift-card = Lahjakortti
card-valid-to = Voimassa { $date } asti
card-expired-on = Vanhentui { $date }
card-balance = Saldo
card-on-it-now = Kortilla nyt

## Why something failed

refused-card-not-found = Korttia ei löydy. Lue se uudelleen.
refused-card-blocked = Kortti on suljettu.
refused-card-expired = Kortti on vanhentunut.
refused-insufficient-funds = Kortin saldo ei riitä.
refused-invalid-amount = Korttiverkosto ei hyväksy tätä summaa.
refused-offer-not-found = Tätä korttia ei enää myydä.
refused-offer-not-available = Tätä korttia ei nyt myydä.
refused-rate-limited = Korttiverkosto on ruuhkautunut.
refused-merchant-not-active = Yritys ei ole aktiivinen, joten lahjakortteja ei voi myydä eikä lunastaa.
refused-forbidden = Tällä kassalla ei ole siihen oikeutta. Kysy ylläpitäjältä.
refused-invalid-request = Korttiverkosto ei hyväksy tätä.
refused-offer-unreadable = Tätä korttia ei voi myydä, ennen kuin se on korjattu hallintapaneelissa.
refused-refund-too-large = Summa on suurempi kuin lunastuksesta on jäljellä. Osa on jo hyvitetty.
refused-no-such-redemption = Hyvitettävää lunastusta ei löydy.
refused-too-many-requests = Liian monta pyyntöä.
refused-not-paired = Tätä kassaa ei ole enää yhdistetty.
refused-unreachable = Korttiverkostoon ei saatu yhteyttä. Yritä uudelleen.
refused-by-network = Korttiverkosto hylkäsi tapahtuman.

not-sent-offline = Kassalla ei ole yhteyttä. Mitään ei lähetetty.
not-sent-journal = Laite ei pystynyt tallentamaan tapahtumaa, joten sitä ei lähetetty. Vapauta tallennustilaa ja yritä sitten uudelleen.
not-sent-busy = Aiemman tapahtuman tulos ei ole vielä tiedossa, joten mitään ei lähetetty. Katso ”Tänään”.

look-up-no-connection = Ei yhteyttä. Korttia ei voitu hakea. Yritä uudelleen.
look-up-slow = Korttiverkosto on hidas eikä ole vastannut. Mitään ei muutettu. Yritä uudelleen.
look-up-in-use = Kortti on käytössä muualla.
look-up-failed = Korttia ei voitu hakea. Mitään ei muutettu. Yritä uudelleen.
other-nothing = Tämä ei ole lahjakortin koodi.
other-link = Tämä on linkki, joka ei johda millekään tämän yrityksen kortille.
other-product = Tämä on tuotteen koodi, ei lahjakortin.

## Redeem

redeem-card-title = Kortti, jonka koodin loppu on { $card }
redeem-expired = Tämä kortti on vanhentunut. Siltä ei voi veloittaa mitään.
redeem-empty = Tämä kortti on tyhjä.
redeem-blocked = Tämä kortti on suljettu. Siltä ei voi veloittaa mitään.
redeem-unknown = Aiemman lunastuksen tulos ei ole vielä tiedossa. Älä lunasta tätä korttia uudelleen ennen sitä: katso ”Tänään”.
redeem-whole-card = Käytä koko saldo
redeem-total = Ostosten summa
redeem-from-card = Kortilta
redeem-left-to-pay = Maksettavaa jää
redeem-enter-total = Syötä ostosten summa
redeem-button = Lunasta { $amount }

## What was done with a card

history-button = Historia
history-title = Kortti { $card }
history-loading = Historiaa ladataan
history-issued = Luotu
history-redeemed = Lunastettu
history-given-back = Hyvitetty
history-unknown = Ei vielä tiedossa
history-changed = Muutettu
history-differs = Tämä ei täsmää kortin saldoon. Pyydä ylläpitäjää selvittämään asia.
history-balance = Kortilla nyt: { $amount }
history-empty-title = Ei vielä mitään
history-empty = Tässä näkyvät kassojesi ja kauppasi tapahtumat tällä kortilla.
history-earlier = Näytä aiemmat
history-refunded = { $amount } hyvitetty
history-none = Tällä kortilla ei ole täällä historiaa.
history-failed = Historiaa ei voitu ladata. Mitään ei muutettu.

## Camera and scanner

camera-label = Kamera
camera-title = Näytä koodi kameralle
camera-hint = Pidä se paikallaan, kämmenen leveyden päässä.
camera-failed = Kameraa ei voi käyttää. Salli se tälle sivulle tai kirjoita koodi.
camera-type = Kirjoita koodi
scan-scanned = Luettu { $code }
scan-unreadable = Luettu koodi, josta ei saatu selvää
scan-unchanged = Näytöllä mikään ei ole muuttunut.
scan-looking = Korttia haetaan.
scan-another-card = Toinen kortti? Näytöllä mikään ei ole muuttunut.
scan-find = Hae kortti
scan-was-amount = Se oli summa

## Sell

sell-title = Myy lahjakortti
sell-loading = Lahjakortteja ladataan
sell-failed = Lahjakortteja ei voitu ladata. Mitään ei muutettu.
sell-empty-title = Ei lahjakortteja myynnissä
sell-empty = Hallintapaneelissa myyntiin asetetut kortit näkyvät tässä.
sell-credit-title = Anna hyvitys
sell-credit = Palautetuista tuotteista. Asiakas ei maksa siitä mitään. Lunastus hyvitetään kohdassa ”Tänään”.
sell-credit-free = Asiakas ei maksa hyvityksestä mitään.
sell-pay-first = Ota ensin maksu, luo sitten kortti.
sell-credit-for-customer = Hyvitys asiakkaalle
sell-to-be-paid = Asiakkaan maksettava
sell-amounts = Summat
sell-give-button = Hyvitä { $amount }
sell-issue-button = Maksettu, luo kortti: { $amount }
price-range = { $min } – { $max }
price-from = Vähintään { $min }
price-up-to = Enintään { $max }
price-any = Mikä tahansa summa
enter-any = Syötä summa.
enter-range = Syötä summa väliltä { $min } – { $max }.
enter-from = Syötä vähintään { $min }.
enter-exactly = Syötä { $amount }.
enter-at-most = Syötä enintään { $amount }.

## How the customer gets the card

delivery-label = Toimitus
delivery-on-this-screen = Tällä näytöllä
delivery-change = Muuta
delivery-title = Miten asiakas saa kortin?
delivery-screen = Näytöllä
delivery-email = Sähköposti
delivery-sms = Tekstiviesti
delivery-show = Näytä tässä
delivery-send = Lähetä sinne
delivery-screen-hint = Koodi näkyy tällä näytöllä. Sen voi kuvata, lukea tai tulostaa.
delivery-email-label = Sähköpostiosoite
delivery-email-hint = Koodi näkyy myös tässä.
delivery-email-wrong = Syötä osoite, kuten { $example }.
delivery-sms-label = Matkapuhelinnumero
delivery-sms-hint = Maan suuntanumeron kanssa, kuten { $example }.
delivery-sms-wrong = Syötä matkapuhelinnumero maan suuntanumeron kanssa.

## A card that was sold

sold-sent = Korttiverkosto lähettää sen kerran osoitteeseen { $address }.
sold-wrong-address = Väärä osoite?
sold-wrong-address-help = Sitä ei voi lähettää uudelleen. Näytä koodi tässä tai tulosta se: kortti on sama.
sold-no-code = Korttiverkosto ei antanut näytettävää koodia. Etsi tilaus hallintapaneelista.
sold-let-scan = Anna asiakkaan kuvata tai lukea koodi.
sold-full-screen = Koko näyttö
sold-print = Tulosta
sold-code = Lahjakortin koodi

## Give back

give-back = Hyvitä
give-back-no-credit = Tällä yrityksellä ei ole hyvityksiä annettavaksi. Lisää hyvitys tarjontaan hallintapaneelissa.
give-back-all = Kaikki on jo hyvitetty.
give-back-loading = Haetaan, mitä voi hyvittää
give-back-redeemed = Lunastettu kortilta { $card }
give-back-already = Jo hyvitetty
give-back-at-most = Enintään { $amount }.
give-back-continue = Jatka
give-back-why = Miksi se hyvitetään?
give-back-explained = Uusi kortti, jolla on { $amount } hyvitystä siitä, mitä kortilta { $card } lunastettiin.
give-back-reason = Syy
give-back-returned = Tuote palautettu
give-back-wrong-amount = Väärä summa
give-back-other = Muu
give-back-reason-missing = Syötä syy.
give-back-choose = Valitse syy.
give-back-button = Hyvitä { $amount }

## What became of a call

outcome-refused = Hylätty
outcome-closed = Ei toteutettu
outcome-not-sent = Ei lähetetty
outcome-by-hand = Tarkistettu käsin
outcome-unknown = Ei vielä tiedossa
outcome-redeemed = { $amount } lunastettu
outcome-sold = Lahjakortti myyty, { $amount }
outcome-credit-given = Hyvitys annettu, { $amount }
outcome-nothing-taken = Kortilta ei veloitettu mitään.
outcome-none-issued = Korttia ei luotu.
outcome-stopped = Tapahtuma pysäytettiin, eikä sitä koskaan toteuteta.
outcome-connect = Kassalla ei ole yhteyttä. Yhdistä se ja yritä sitten uudelleen.
outcome-found-by-hand = Tulos selvitettiin kassalla:
outcome-late = Vastaus tuli myöhässä, mutta tapahtuma onnistui.
outcome-amount = Summa
outcome-card = Kortti
outcome-gift-card = Lahjakortti
outcome-looking = Haetaan
outcome-still-to-pay = Vielä maksettava
outcome-left = Kortilla jäljellä
outcome-back-to-today = Takaisin: ”Tänään”
outcome-back-to-amount = Takaisin summaan
outcome-pay-rest = Toinen kortti, { $amount }

unknown-redeem = Ei tiedetä, veloitettiinko kortilta { $card } summa { $amount } vai ei.
unknown-issue = Ei tiedetä, luotiinko lahjakortti, { $amount }, vai ei.
unknown-no-response = Vastausta ei ole vielä tullut.
unknown-no-connection = Kassalla ei ole yhteyttä.
unknown-do-not-redeem = Älä lunasta sitä uudelleen.
unknown-do-not-sell = Älä myy sitä uudelleen.
unknown-wait = Pyydä asiakasta odottamaan. Tämä sivu selvittää asian ja kertoo sinulle.
unknown-final = Portaali ei tiedä tulosta. Vertaa kortin saldoa ja tilauksia hallintapaneelissa.
unknown-other-merchant = Tapahtuma aloitettiin yritykselle { $merchant }, eikä sitä voi hakea täältä.
unknown-some-merchant = Tapahtuma aloitettiin yritykselle, jota ei tunneta, eikä sitä voi hakea täältä.
unknown-cannot-wait = Jos asiakas ei voi odottaa
unknown-leave-redeem = Palvele seuraavaa asiakasta ja veloita { $total } muulla tavalla: mitä siihen mennessä ei ole veloitettu kortilta, sitä ei koskaan veloiteta. Jos se veloitettiin, tämä kassa näyttää sen kohdassa ”Tänään”.
unknown-leave-issue = Palvele seuraavaa asiakasta: mitä siihen mennessä ei ole luotu, sitä ei koskaan luoda. Jos kortti luotiin, koodi on kohdassa ”Tänään”, ja sen voi lähettää.
unknown-sent = Lähetetty
unknown-no-answer = Ei vastausta
unknown-asked =
    { $count ->
        [0] Ei vielä kysytty
        [1] Kysytty kerran, ei vielä vastausta
        [2] Kysytty kahdesti, ei vielä vastausta
       *[other] Kysytty { $count } kertaa, ei vielä vastausta
    }
unknown-asks-in = kysyy { $seconds } s:n päästä
unknown-asks-again-in = taas { $seconds } s:n päästä
unknown-asking = kysyy
unknown-ask-now = Kysy nyt
unknown-next-customer = Palvele seuraavaa asiakasta
by-hand = Olen tarkistanut sen
by-hand-found = Mitä selvisi?
by-hand-hint = Esimerkiksi: saldo on 150,50, joten summa veloitettiin.
by-hand-missing = Kuvaile yhdellä lauseella, mitä selvisi.

## Today

today-title = Tänään
today-empty-title = Ei vielä mitään
today-empty = Tämän kassan myymät ja lunastamat kortit näkyvät tässä.
today-redeemed = Lunastettu
today-sold = Myyty
today-done = Valmis
today-redeem-row = Lunastus { $card }
today-sell-row = Myynti { $offer }
today-give-row = Hyvitys { $offer }
today-earlier-version = Aiempi versio

## Receipt, for the till

receipt-print = Tulosta kuitti
receipt-no-paper = Ei paperia? Anna asiakkaan lukea koodi
receipt-page = Sivu kysyy kortin koodia ja näyttää sen saldon.

## Ticket, receipt and codes: for the customer

qr-gift-card = Lahjakortin QR-koodi
qr-balance-page = Kortin saldon näyttävän sivun QR-koodi
paper-label = Tulostettavaksi
ticket-valid-to = Voimassa { $date } asti
ticket-advice = Maksa näyttämällä tämä koodi. Säilytä koodia kuin käteistä: kuka tahansa, jolla se on, voi käyttää sen.
paper-balance = Kortin saldo:
receipt-title = Maksettu lahjakortilla
receipt-total = Ostosten summa
receipt-card = Kortti
receipt-left = Kortilla jäljellä
receipt-reference = Viite
