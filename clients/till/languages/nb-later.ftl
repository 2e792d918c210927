# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Lukk
again = Prøv igjen
next-customer = Neste kunde
not-known = Ikke kjent

late-redeem-done = Svaret kom sent, men det gikk gjennom: { $amount }, { $card }
late-redeem-failed = Ingenting ble trukket fra kortet: { $amount }, { $card }
late-issue-done = Svaret kom sent, men kortet ble utstedt: { $amount }
late-issue-failed = Ingen kort ble utstedt: { $amount }
no-journal = Nettleseren lagrer ingenting for kassen, så ingen penger kan flyttes. Gå ut av det private vinduet, eller tillat lagring for denne siden, og last den inn på nytt.
not-revoked = Portalen kunne ikke nås, så denne enheten har fortsatt tilgang. Den opphører så snart portalen kan nås herfra. For å avslutte den nå, trekk tilbake kassen i kontrollpanelet under «Stores and tills».
moving-redeem = { $amount } trekkes fra kortet
moving-issue = Et gavekort på { $amount } utstedes
moving-slow-redeem = Kortnettverket er tregt. Beløpet trekkes høyst én gang.
moving-slow-issue = Kortnettverket er tregt. Høyst ett kort utstedes.

## Menu

menu-open-calls = Utfallet av en transaksjon er ikke kjent ennå. Frakobling glemmer den: vent til det er kjent.
menu-unpairing = Frakobling logger kassen ut og glemmer dagens liste. Etterpå trenger den en ny kode fra kontrollpanelet.
menu-signals = Lyd og vibrasjon når noe er utført eller avvist
menu-unpair = Koble fra { $till }
menu-language = Språk
menu-language-browser = { $language } (som nettleseren)
menu-customer-language = Språk på utskrevne kort og kvitteringer
menu-customer-language-till = { $language } (som kassen)

## Pairing

pairing-title = Koble til kassen
pairing-title-again = Koble til { $till } igjen
pairing-lead = Åpne «Stores and tills» i kontrollpanelet, legg til en kasse og skriv inn koden her.
pairing-lead-again = Kassen ble logget ut. Det du har tastet inn, er her fortsatt når den er koblet til igjen.
pairing-code = Tilkoblingskode
pairing-hint = { $count } tegn. Den gjelder én gang, i 10 minutter.
pairing-too-short = Skriv inn alle de { $count } tegnene i koden.
pairing-button = Koble til kassen
pairing-busy = Kobler til
pairing-failed-connection = Ingen forbindelse. Prøv igjen.
pairing-failed-code = Koden er feil eller utløpt.
pairing-failed-attempts = For mange forsøk.
pairing-failed = Kassen kunne ikke kobles til. Prøv igjen.

## Entering an amount

keypad-label = Beløp
keypad-erase = Slett siffer
enter-amount = Tast inn beløpet
note-as-fast-as-scanner = Dette kom like raskt som fra en skanner. Kontroller det, og trykk så på knappen.
note-press-again = Kontroller det, og trykk så Enter igjen.
note-no-decimals = { $currency } har ingen desimaler. Skilletegnet ble ignorert.
note-separator = Skilletegnet ble ignorert.
note-too-many-decimals = { $currency } har { $decimals } desimaler. Sifferet { $key } ble ignorert.
note-second-separator = Et skilletegn til ble ignorert.

## When to try again

retry-now = Prøv igjen nå.
retry-seconds = Prøv igjen om { $seconds } s.
retry-minutes = Prøv igjen om { $minutes } min.

## Cards

card-gift-card = Gavekort
card-valid-to = Gyldig til { $date }
card-expired-on = Utløpt { $date }
card-balance = Saldo
card-on-it-now = På kortet nå

## Why something failed

refused-card-not-found = Kortet finnes ikke. Skann det igjen.
refused-card-blocked = Kortet er sperret.
refused-card-expired = Kortet er utløpt.
refused-insufficient-funds = Det er mindre enn dette på kortet.
refused-invalid-amount = Kortnettverket godtar ikke dette beløpet.
refused-offer-not-found = Dette kortet selges ikke lenger.
refused-offer-not-available = Dette kortet selges ikke nå.
refused-rate-limited = Kortnettverket er opptatt.
refused-merchant-not-active = Virksomheten er ikke aktiv, så gavekort kan verken selges eller løses inn.
refused-forbidden = Denne kassen kan ikke gjøre det. Spør administratoren.
refused-invalid-request = Kortnettverket godtar ikke dette.
refused-offer-unreadable = Dette kortet kan ikke selges før det er rettet i kontrollpanelet.
refused-refund-too-large = Mer enn det som er igjen av innløsningen. Noe er allerede gitt tilbake.
refused-no-such-redemption = Det finnes ingen slik innløsning å gi tilbake.
refused-too-many-requests = For mange forespørsler.
refused-not-paired = Denne kassen er ikke lenger koblet til.
refused-unreachable = Kortnettverket kunne ikke nås. Prøv igjen.
refused-by-network = Kortnettverket avviste det.

not-sent-offline = Kassen har ingen forbindelse. Ingenting ble sendt.
not-sent-journal = Enheten kunne ikke lagre transaksjonen, så den ble ikke sendt. Frigjør lagringsplass, og prøv så igjen.
not-sent-busy = Utfallet av en tidligere transaksjon er ikke kjent ennå, så ingenting ble sendt. Se I dag.

look-up-no-connection = Ingen forbindelse. Kortet kunne ikke slås opp. Prøv igjen.
look-up-slow = Kortnettverket er tregt og har ikke svart. Ingenting ble endret. Prøv igjen.
look-up-in-use = Kortet er i bruk et annet sted.
look-up-failed = Kortet kunne ikke slås opp. Ingenting ble endret. Prøv igjen.
other-nothing = Dette er ikke koden til et gavekort.
other-link = Dette er en lenke som ikke fører til noe kort fra denne virksomheten.
other-product = Dette er koden til en vare, ikke til et gavekort.

## Redeem

redeem-card-title = Kort som slutter på { $card }
redeem-expired = Kortet er utløpt. Ingenting kan trekkes fra det.
redeem-empty = Kortet er tomt.
redeem-blocked = Kortet er sperret. Ingenting kan trekkes fra det.
redeem-unknown = Utfallet av en tidligere innløsning er ikke kjent ennå. Ikke løs inn kortet igjen før det er kjent: se I dag.
redeem-whole-card = Bruk hele kortet
redeem-total = Kjøpesum
redeem-from-card = Fra kortet
redeem-left-to-pay = Gjenstår å betale
redeem-enter-total = Tast inn kjøpesummen
redeem-button = Løs inn { $amount }

## What was done with a card

history-button = Historikk
history-title = Kort { $card }
history-loading = Historikken lastes inn
history-issued = Utstedt
history-redeemed = Innløst
history-given-back = Gitt tilbake
history-unknown = Ikke kjent ennå
history-changed = Endret
history-differs = Dette stemmer ikke med saldoen på kortet. Be administratoren undersøke det.
history-balance = På kortet nå: { $amount }
history-empty-title = Ingenting ennå
history-empty = Det kassene og butikken din gjør med kortet, vises her.
history-earlier = Vis tidligere
history-refunded = { $amount } gitt tilbake
history-none = Kortet har ingen historikk her.
history-failed = Historikken kunne ikke lastes inn. Ingenting ble endret.

## Camera and scanner

camera-label = Kamera
camera-title = Vis koden til kameraet
camera-hint = Hold den i ro, en håndsbredde unna.
camera-failed = Kameraet kan ikke brukes. Tillat det for denne siden, eller skriv inn koden.
camera-type = Skriv inn koden i stedet
scan-scanned = Skannet { $code }
scan-unreadable = Skannet en kode som ikke kunne leses
scan-unchanged = Ingenting er endret på skjermen.
scan-looking = Slår det opp.
scan-another-card = Et annet kort? Ingenting er endret på skjermen.
scan-find = Slå det opp
scan-was-amount = Det var et beløp

## Sell

sell-title = Selg et gavekort
sell-loading = Gavekortene lastes inn
sell-failed = Gavekortene kunne ikke lastes inn. Ingenting ble endret.
sell-empty-title = Ingen gavekort til salgs
sell-empty = Det som er tilgjengelig i kontrollpanelet, vises her.
sell-credit-title = Gi tilgodelapp
sell-credit = For returnerte varer. Det betales ikke noe for den. En innløsning gis tilbake under I dag.
sell-credit-free = Det betales ikke noe for en tilgodelapp.
sell-pay-first = Ta betalt først, utsted så kortet.
sell-credit-for-customer = Tilgode til kunden
sell-to-be-paid = Kunden skal betale
sell-amounts = Beløp
sell-give-button = Gi { $amount }
sell-issue-button = Betalt, utsted { $amount }
price-range = { $min } til { $max }
price-from = { $min } eller mer
price-up-to = Inntil { $max }
price-any = Valgfritt beløp
enter-any = Tast inn et beløp.
enter-range = Tast inn { $min } til { $max }.
enter-from = Tast inn { $min } eller mer.
enter-exactly = Tast inn { $amount }.
enter-at-most = Tast inn høyst { $amount }.

## How the customer gets the card

delivery-label = Levering
delivery-on-this-screen = På denne skjermen
delivery-change = Endre
delivery-title = Hvordan får kunden det?
delivery-screen = På skjerm
delivery-email = E-post
delivery-sms = SMS
delivery-show = Vis det her
delivery-send = Send det dit
delivery-screen-hint = Koden vises på denne skjermen. Den kan fotograferes, skannes eller skrives ut.
delivery-email-label = E-postadresse
delivery-email-hint = Koden vises også her.
delivery-email-wrong = Skriv inn en adresse som { $example }.
delivery-sms-label = Mobilnummer
delivery-sms-hint = Med landkode, for eksempel { $example }.
delivery-sms-wrong = Skriv inn et mobilnummer med landkode.

## A card that was sold

sold-sent = Kortnettverket sender det til { $address }, én gang.
sold-wrong-address = Feil adresse?
sold-wrong-address-help = Det kan ikke sendes igjen. Vis koden her, eller skriv den ut: det er samme kort.
sold-no-code = Kortnettverket ga ingen kode å vise. Finn ordren i kontrollpanelet.
sold-let-scan = La kunden fotografere eller skanne den.
sold-full-screen = Fullskjerm
sold-print = Skriv ut
sold-code = Koden til gavekortet

## Give back

give-back = Gi tilbake
give-back-no-credit = Virksomheten har ingen tilgodelapp å gi. Legg den til blant tilbudene i kontrollpanelet.
give-back-all = Alt er allerede gitt tilbake.
give-back-loading = Finner ut hva som kan gis tilbake
give-back-redeemed = Innløst fra { $card }
give-back-already = Allerede gitt tilbake
give-back-at-most = Høyst { $amount }.
give-back-continue = Fortsett
give-back-why = Hvorfor gis det tilbake?
give-back-explained = Et nytt kort med { $amount } til gode, for det som ble innløst fra { $card }.
give-back-reason = Årsak
give-back-returned = Vare returnert
give-back-wrong-amount = Feil beløp
give-back-other = Annet
give-back-reason-missing = Skriv inn årsaken.
give-back-choose = Velg en årsak.
give-back-button = Gi tilbake { $amount }

## What became of a call

outcome-refused = Avvist
outcome-closed = Ikke utført
outcome-not-sent = Ikke sendt
outcome-by-hand = Kontrollert for hånd
outcome-unknown = Ikke kjent ennå
outcome-redeemed = { $amount } innløst
outcome-sold = Gavekort på { $amount } solgt
outcome-credit-given = Tilgodelapp på { $amount } gitt
outcome-nothing-taken = Ingenting ble trukket fra kortet.
outcome-none-issued = Ingen kort ble utstedt.
outcome-stopped = Det ble stoppet og vil aldri bli utført.
outcome-connect = Kassen er frakoblet. Koble den til nettet, og prøv så igjen.
outcome-found-by-hand = Utfallet ble funnet ut ved kassen:
outcome-late = Svaret kom sent, men det gikk gjennom.
outcome-amount = Beløp
outcome-card = Kort
outcome-gift-card = Gavekort
outcome-looking = Slår opp
outcome-still-to-pay = Gjenstår å betale
outcome-left = Igjen på kortet
outcome-back-to-today = Tilbake til I dag
outcome-back-to-amount = Tilbake til beløpet
outcome-pay-rest = Et annet kort for { $amount }

unknown-redeem = Det er ikke kjent om { $amount } er trukket fra kort { $card } eller ikke.
unknown-issue = Det er ikke kjent om et gavekort på { $amount } er utstedt eller ikke.
unknown-no-response = Det er ikke noe svar ennå.
unknown-no-connection = Kassen har ingen forbindelse.
unknown-do-not-redeem = Ikke løs det inn igjen.
unknown-do-not-sell = Ikke selg det igjen.
unknown-wait = Be kunden vente. Denne siden finner det ut og sier ifra.
unknown-final = Portalen kan ikke fortelle utfallet. Sammenlign saldoen på kortet og ordrene i kontrollpanelet.
unknown-other-merchant = Det ble påbegynt for { $merchant } og kan ikke slås opp herfra.
unknown-some-merchant = Det ble påbegynt for en virksomhet som ikke er kjent, og kan ikke slås opp herfra.
unknown-cannot-wait = Hvis kunden ikke kan vente
unknown-leave-redeem = Ta neste kunde, og ta betalt { $total } på en annen måte: det som ikke er trukket fra kortet innen da, blir aldri trukket. Hvis det ble trukket, viser kassen det under I dag.
unknown-leave-issue = Ta neste kunde: det som ikke er utstedt innen da, blir aldri utstedt. Hvis kortet ble utstedt, er koden under I dag og kan sendes.
unknown-sent = Sendt
unknown-no-answer = Ikke noe svar
unknown-asked =
    { $count ->
        [0] Ikke spurt ennå
        [1] Spurt én gang, ikke noe svar ennå
        [2] Spurt to ganger, ikke noe svar ennå
       *[other] Spurt { $count } ganger, ikke noe svar ennå
    }
unknown-asks-in = spør om { $seconds } s
unknown-asks-again-in = igjen om { $seconds } s
unknown-asking = spør
unknown-ask-now = Spør nå
unknown-next-customer = Ta neste kunde
by-hand = Jeg har kontrollert det
by-hand-found = Hva fant du ut?
by-hand-hint = For eksempel: saldoen er 150,50, så det ble trukket.
by-hand-missing = Beskriv i én setning hva du fant ut.

## Today

today-title = I dag
today-empty-title = Ingenting ennå
today-empty = Kort som denne kassen selger og løser inn, vises her.
today-redeemed = Innløst
today-sold = Solgt
today-done = Utført
today-redeem-row = Innløsning { $card }
today-sell-row = Salg { $offer }
today-give-row = Tilgode { $offer }
today-earlier-version = Tidligere versjon

## Receipt, for the till

receipt-print = Skriv ut kvittering
receipt-no-paper = Ikke papir? La kunden skanne
receipt-page = Siden spør etter koden på kortet og viser saldoen.

## Ticket, receipt and codes: for the customer

qr-gift-card = QR-koden til gavekortet
qr-balance-page = QR-koden til siden som viser hva som er igjen på et kort
paper-label = For utskrift
ticket-valid-to = Gyldig til { $date }
ticket-advice = Vis denne koden for å betale med den. Ta vare på den som kontanter: den som har koden, kan bruke den.
paper-balance = Igjen på et kort:
receipt-title = Betalt med gavekort
receipt-total = Kjøpesum
receipt-card = Kort
receipt-left = Igjen på kortet
receipt-reference = Referanse
