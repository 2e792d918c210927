# en.ftl says where these messages stand.

## In all mails

greeting = Hei { $name },
greeting-nobody = Hei,
open-portal = Avaa portaali
somebody = Tiimin jäsen
your-account = Yritystilisi
unknown-program = tuntematon ohjelma

## A code to sign in

code-subject = Kirjautumiskoodisi
code-text = Kirjaudu osoitteessa { $host } syöttämällä tämä koodi:
code-details = Koodia pyydettiin klo { $from } UTC ({ $browser }), ja sitä voi käyttää kerran, klo { $until } UTC asti.
code-secret = Pidä koodi omana tietonasi: älä lue sitä kenellekään ääneen äläkä syötä sitä minnekään muualle. Me emme koskaan kysy sitä.
code-unexpected = Jos et pyytänyt koodia, voit jättää tämän sähköpostin huomiotta: kukaan ei voi kirjautua ilman koodia.
codes-off-subject = Kirjautumiskoodisi ovat pois käytöstä
codes-off-text = Kirjautumiskoodia pyydettiin klo { $time } UTC ({ $browser }). Olet poistanut koodit käytöstä: kirjaudu pääsyavaimella.
codes-off-unexpected = Jos et pyytänyt koodia, voit jättää tämän sähköpostin huomiotta. Jos olet kadottanut kaikki pääsyavaimesi, vastaa tähän sähköpostiin.

## An invitation, which its maker confirms

confirm-subject = Vahvista kutsusi
confirm-text = Olet kutsumassa henkilöä { $person } ({ $email }) tiimiisi osoitteessa { $host } näillä oikeuksilla:
confirm-enter = Vahvista kutsu syöttämällä tämä koodi:
confirm-unexpected = Jos et kutsunut tätä henkilöä, joku muu saattaa käyttää istuntoasi: älä syötä koodia minnekään, vaan avaa tilisi hallintapaneelissa ja lopeta kaikki istuntosi.
invite-subject = Sinut on kutsuttu yritykseen { $shop }
invite-text = { $person } on kutsunut sinut hoitamaan yrityksen { $shop } asioita kauppiasportaalissa näillä oikeuksilla:
invite-sign-in = Hyväksy kutsu kirjautumalla tällä osoitteella ({ $email }):
invite-open = Avaa kutsu
invite-until = Kutsun voi hyväksyä { $day } asti.
invite-unexpected = Jos et tunne tätä henkilöä, voit jättää tämän sähköpostin huomiotta.

## What a member may do: a list

role-admin = Ylläpitäjä: kaikki, myös tiimi
role-full = Täydet oikeudet: kaikki paitsi tiimi
role-viewer = Katselija: vain lukuoikeus
role-other = Jäsen
may-nothing = Ei vielä mitään
may-information = Yrityksen tietojen katselu ja muuttaminen
may-organization = Myymälöiden hallinta
may-team = Tiimiin kutsuminen sekä tiimin ja kassojen hallinta
may-gift-cards = Tarjonnan hallinta ja korttien haku
may-analytics = Tilastojen katselu
may-reports = Tilitysten katselu
may-orders = Tilausten katselu
may-pos = Myynti ja lunastus kassalla

## How one signs in

device-subject = Kirjauduit uudella selaimella
device-text = Tilillesi kirjauduttiin uudella selaimella { $day } klo { $time } UTC: { $browser }.
device-unexpected = Jos se et ollut sinä, joku pystyy lukemaan sähköpostiasi. Kirjaudu portaalissa ulos kaikkialta, suojaa sähköpostitilisi ja vastaa tähän sähköpostiin, jotta voimme selvittää asian.
passkey-added-subject = Pääsyavain lisättiin
passkey-added = Pääsyavain { $name } lisättiin tilillesi { $day } klo { $time } UTC. Sillä voi nyt kirjautua.
passkey-removed-subject = Pääsyavain poistettiin
passkey-removed = Pääsyavain { $name } poistettiin tililtäsi { $day } klo { $time } UTC, ja sinut kirjattiin ulos kaikkialta.
passkey-removed-codes-on = Voit taas kirjautua sähköpostiin lähetettävillä koodeilla, koska muuten jo yhden laitteen menettäminen voisi estää kirjautumisesi.
passkey-refused-subject = Pääsyavain hylättiin
passkey-refused = Kirjautuminen pääsyavaimella { $name } hylättiin { $day } klo { $time } UTC, koska avaimesta saattaa olla olemassa kopio.
passkey-refused-advice = Poista pääsyavain portaalissa, ellei kopio ole tiedossasi.
codes-turned-off-subject = Kirjautumiskoodit ovat pois käytöstä
codes-turned-off = Sähköpostiin lähetettävät koodit poistettiin käytöstä tililläsi { $day } klo { $time } UTC: voit kirjautua vain pääsyavaimillasi.
codes-turned-on-subject = Kirjautumiskoodit ovat käytössä
codes-turned-on = Sähköpostiin lähetettävät koodit otettiin tililläsi taas käyttöön { $day } klo { $time } UTC.
codes-turned-on-by-platform = Palvelualusta otti sähköpostiin lähetettävät koodit tililläsi taas käyttöön { $day } klo { $time } UTC, koska joku on kertonut meille, että olet kadottanut pääsyavaimesi.
sign-in-unexpected = Jos se et ollut sinä, joku muu pystyy käyttämään tiliäsi. Kirjaudu portaalissa ulos kaikkialta, suojaa sähköpostitilisi ja vastaa tähän sähköpostiin, jotta voimme selvittää asian.

## The merchant's account

account-subject = Yrityksesi tietoja muutettiin
account-text = Yrityksen { $shop } tietoja muutettiin { $day } klo { $time } UTC joko tililtäsi tai luomallasi API-avaimella.
account-text-nameless = Yritystilisi tietoja muutettiin { $day } klo { $time } UTC joko tililtäsi tai luomallasi API-avaimella.
account-what = Muutos voi koskea yrityksen nimiä tai numeroita, sen verkkosivustoa, logoa tai aikavyöhykettä. Katso nykyiset tiedot:
account-unexpected = Jos se et ollut sinä, kerro asiasta tiimisi ylläpitäjälle ja vastaa tähän sähköpostiin, jotta voimme selvittää asian.
verify-subject = Jatka vahvistamalla yrityksesi tiedot
verify-text = Kiitos, olemme vastaanottaneet yrityksen { $shop } hakemuksen.
verify-text-nameless = Kiitos, olemme vastaanottaneet yrityksesi hakemuksen.
verify-next = Seuraava vaihe on yrityksen ja sitä johtavien henkilöiden tietojen vahvistaminen. Sen tekee vahvistuskumppanimme omalla sivullaan:
verify-open = Vahvista yrityksen tiedot
verify-time = Tähän menee muutama minuutti. Ota valmiiksi henkilöllisyystodistus ja yrityksen rekisteriote. Heti kun tiedämme tuloksen, se näkyy portaalissa.
verify-unexpected = Jos et tehnyt hakemusta, älä avaa linkkiä vaan vastaa tähän sähköpostiin, jotta voimme selvittää asian.
status-subject = Yritystilisi tila on muuttunut
status-active = { $shop } on aktiivinen.
status-active-means = Kassasi voivat myydä ja lunastaa lahjakortteja.
status-suspended = { $shop } on jäädytetty.
status-suspended-means = Toistaiseksi lahjakortteja ei voi myydä eikä lunastaa.
status-closed = { $shop } on suljettu.
status-closed-means = Lahjakortteja ei voi enää myydä eikä lunastaa.
status-declined = { $shop } on hylätty.
status-declined-means = Emme voi hyväksyä yrityksesi hakemusta.
status-waiting = { $shop } odottaa lisätietoja.
status-waiting-means = Emme voi vielä tehdä päätöstä hakemuksestasi. Täydennä se portaalissa ja lähetä se uudelleen.
status-draft = { $shop } on luonnos.
status-draft-means = Täytä hakemus loppuun portaalissa ja lähetä se.
status-review = { $shop } on käsiteltävänä.
status-review-means = Ilmoitamme sinulle heti, kun olemme tehneet päätöksen hakemuksestasi.
status-questions = Jos sinulla on kysyttävää, vastaa tähän sähköpostiin.
image-subject = Lahjakorttiesi kuva poistettiin
image-text = Olemme poistaneet kuvan, jonka { $shop } oli julkaissut: { $image }
image-means = Se on poistettu lopullisesti, eikä se enää näy. Lahjakortit, joissa se on, tarvitsevat toisen kuvan.
image-unexpected = Jos tämä on mielestäsi virhe, vastaa tähän sähköpostiin.

## News of the team, to its administrators

joined-subject = Joku liittyi yrityksen { $shop } tiimiin
joined = { $person } ({ $email }) liittyi yrityksen { $shop } tiimiin { $day } klo { $time } UTC.
joined-unexpected = Jos kukaan teistä ei kutsunut tätä henkilöä, poista hänet hallintapaneelissa.
left-subject = Joku lähti yrityksen { $shop } tiimistä
left = { $person } ({ $email }) lähti yrityksen { $shop } tiimistä { $day } klo { $time } UTC.
removed-subject = Joku poistettiin yrityksen { $shop } tiimistä
removed = { $person } ({ $email }) poistettiin yrityksen { $shop } tiimistä { $day } klo { $time } UTC.
administrator-subject = Yrityksellä { $shop } on uusi ylläpitäjä
administrator = Yrityksen { $shop } ylläpitäjäksi tuli { $day } klo { $time } UTC { $person } ({ $email }).
team-open = Katso tiimi
team-unexpected = Jos tämä ei ole niin kuin pitäisi, tarkista tiimi ja sen tapahtumat hallintapaneelissa.
till-subject = Yritykseen { $shop } yhdistettiin kassa
till-text = Myymälän { $store } kassa { $till } yhdistettiin { $day } klo { $time } UTC. Se voi myydä ja lunastaa yrityksen { $shop } lahjakortteja.
till-open = Katso kaikki kassat
till-unexpected = Jos et tunnista tätä kassaa, poista sen oikeus hallintapaneelissa: kassa lakkaa toimimasta heti.

## News of keys, which let a program call the API

key-created-subject = Yritykselle { $shop } luotiin API-avain
key-created = { $person } loi { $day } klo { $time } UTC yritykselle { $shop } API-avaimen { $key }.
key-rotated-subject = Yrityksen { $shop } API-avain uusittiin
key-rotated = { $person } vaihtoi { $day } klo { $time } UTC yrityksen { $shop } API-avaimen { $key } salaisuuden.
key-reads = Avaimella ohjelma voi lukea sen, minkä nämä oikeudet kattavat: { $permissions }. Avain vanhenee { $day } klo { $time } UTC.
key-writes = Avaimella ohjelma voi lukea ja muuttaa sitä, minkä nämä oikeudet kattavat: { $permissions }. Avain vanhenee { $day } klo { $time } UTC.
key-unexpected = Jos et tunnista tätä avainta, mitätöi se hallintapaneelissa: se lakkaa toimimasta heti.
key-ending-subject = Yrityksen { $shop } API-avain lakkaa pian toimimasta
key-ending = Yrityksen { $shop } API-avain { $key } lakkaa toimimasta { $day } klo { $time } UTC: avaimen luonut { $person } on lähtenyt tiimistä tai ei voi enää antaa sen oikeuksia.
key-expiring-subject = Yrityksen { $shop } API-avain vanhenee pian
key-expiring = Yrityksen { $shop } API-avain { $key } vanhenee { $day } klo { $time } UTC.
key-rotate = Jos avainta yhä tarvitaan, joku, jolla on sen oikeudet, voi uusia sen hallintapaneelissa sitä ennen ja antaa uuden salaisuuden ohjelmalle. Muussa tapauksessa mitään ei tarvitse tehdä.
key-revoked-subject = Yrityksen { $shop } API-avain mitätöitiin
key-revoked = Palvelualusta mitätöi { $day } klo { $time } UTC yrityksen { $shop } API-avaimen { $key }: muut saattavat tietää sen. Ohjelmat, jotka yhä käyttävät sitä, torjutaan.
key-replace = Luo hallintapaneelissa toinen API-avain ja selvitä, missä vanha julkaistiin.
key-open = Katso kaikki API-avaimet

## News of webhooks

webhook-set-subject = Yritykselle { $shop } asetettiin webhook-päätepiste
webhook-set = { $person } määritti { $day } klo { $time } UTC, että { $host } vastaanottaa nämä yrityksen { $shop } viestit eikä muita: { $events }.
webhook-set-unexpected = Jos et tunnista tätä osoitetta tai jos jokin viesti puuttuu, pyydä kehittäjääsi muuttamaan päätepistettä tai poistamaan se.
webhook-deleted-subject = Yrityksen { $shop } webhook-päätepiste poistettiin
webhook-deleted = { $person } poisti { $day } klo { $time } UTC päätepisteen { $host }. Siihen ei lähetetä enää mitään.
webhook-disabled-subject = Yrityksen { $shop } viestejä ei enää toimiteta
webhook-gone = { $day } klo { $time } UTC alkaen yritykseltä { $shop } ei ole lähetetty mitään osoitteeseen { $host }: päätepiste on vastannut, ettei se halua enää viestejä.
webhook-failing = { $day } klo { $time } UTC alkaen yritykseltä { $shop } ei ole lähetetty mitään osoitteeseen { $host }: päätepiste ei ole ottanut vastaan yhtään viestiä viiteen päivään.
webhook-enable = Uudet viestit säilytetään kolme päivää. Pyydä kehittäjääsi ottamaan päätepiste taas käyttöön, kun se toimii.
webhook-open = Katso kaikki päätepisteet
