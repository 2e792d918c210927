# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Schließen
again = Erneut versuchen
next-customer = Nächster Kunde
not-known = Nicht bekannt

late-redeem-done = Die Antwort kam spät, aber der Vorgang war erfolgreich: { $amount }, { $card }
late-redeem-failed = Von der Karte wurde nichts abgebucht: { $amount }, { $card }
late-issue-done = Die Antwort kam spät, aber die Karte wurde ausgestellt: { $amount }
late-issue-failed = Es wurde keine Karte ausgestellt: { $amount }
no-journal = Dieser Browser speichert nichts für die Kasse, deshalb sind weder Verkäufe noch Einlösungen möglich. Verlassen Sie das private Fenster oder erlauben Sie dieser Seite das Speichern und laden Sie sie neu.
not-revoked = Das Portal war nicht erreichbar, deshalb hat dieses Gerät weiterhin Zugang. Er endet, sobald das Portal von hier erreichbar ist. Um ihn sofort zu beenden, sperren Sie die Kasse im Dashboard unter „Stores and tills“.
moving-redeem = { $amount } wird von der Karte abgebucht
moving-issue = Geschenkkarte über { $amount } wird ausgestellt
moving-slow-redeem = Das Kartennetzwerk ist langsam. Der Betrag wird höchstens einmal abgebucht.
moving-slow-issue = Das Kartennetzwerk ist langsam. Es wird höchstens eine Karte ausgestellt.

## Menu

menu-open-calls = Das Ergebnis eines Vorgangs ist noch nicht bekannt. Beim Trennen ginge er verloren: Warten Sie, bis es bekannt ist.
menu-unpairing = Beim Trennen wird die Kasse abgemeldet und die heutige Liste gelöscht. Danach braucht sie einen neuen Code aus dem Dashboard.
menu-signals = Ton und Vibration, wenn ein Vorgang erledigt oder abgelehnt ist
menu-unpair = { $till } trennen
menu-language = Sprache
menu-language-browser = { $language } (wie im Browser)
menu-customer-language = Sprache von gedruckten Karten und Belegen
menu-customer-language-till = { $language } (wie die Kasse)

## Pairing

pairing-title = Kasse koppeln
pairing-title-again = { $till } erneut koppeln
pairing-lead = Öffnen Sie im Dashboard „Stores and tills“, legen Sie eine Kasse an und geben Sie deren Code hier ein.
pairing-lead-again = Die Kasse wurde abgemeldet. Ihre Eingaben sind nach dem Koppeln noch da.
pairing-code = Kopplungscode
pairing-hint = { $count } Zeichen. Er gilt einmal, 10 Minuten lang.
pairing-too-short = Geben Sie alle { $count } Zeichen des Codes ein.
pairing-button = Kasse koppeln
pairing-busy = Wird gekoppelt
pairing-failed-connection = Keine Verbindung. Versuchen Sie es noch einmal.
pairing-failed-code = Dieser Code ist falsch oder abgelaufen.
pairing-failed-attempts = Zu viele Versuche.
pairing-failed = Die Kasse konnte nicht gekoppelt werden. Versuchen Sie es noch einmal.

## Entering an amount

keypad-label = Betrag
keypad-erase = Ziffer löschen
enter-amount = Betrag eingeben
note-as-fast-as-scanner = Das kam so schnell wie von einem Scanner. Prüfen Sie es und drücken Sie dann die Taste auf dem Bildschirm.
note-press-again = Prüfen Sie es und drücken Sie dann noch einmal die Eingabetaste.
note-no-decimals = { $currency } hat keine Nachkommastellen. Das Trennzeichen wurde ignoriert.
note-separator = Das Trennzeichen wurde ignoriert.
note-too-many-decimals = { $currency } hat { $decimals } Nachkommastellen. Die { $key } wurde ignoriert.
note-second-separator = Ein zweites Trennzeichen wurde ignoriert.

## When to try again

retry-now = Versuchen Sie es jetzt noch einmal.
retry-seconds = Versuchen Sie es in { $seconds } s noch einmal.
retry-minutes = Versuchen Sie es in { $minutes } min noch einmal.

## Cards

card-gift-card = Geschenkkarte
card-valid-to = Gültig bis { $date }
card-expired-on = Abgelaufen am { $date }
card-balance = Guthaben
card-on-it-now = Jetzt auf der Karte

## Why something failed

refused-card-not-found = Diese Karte gibt es nicht. Scannen Sie sie noch einmal.
refused-card-blocked = Die Karte ist gesperrt.
refused-card-expired = Die Karte ist abgelaufen.
refused-insufficient-funds = Das Guthaben der Karte reicht nicht aus.
refused-invalid-amount = Das Kartennetzwerk nimmt diesen Betrag nicht an.
refused-offer-not-found = Diese Karte wird nicht mehr verkauft.
refused-offer-not-available = Diese Karte wird zurzeit nicht verkauft.
refused-rate-limited = Das Kartennetzwerk ist überlastet.
refused-merchant-not-active = Das Unternehmen ist nicht aktiv, deshalb können keine Geschenkkarten verkauft oder eingelöst werden.
refused-forbidden = Diese Kasse hat dafür keine Berechtigung. Fragen Sie den Administrator.
refused-invalid-request = Das Kartennetzwerk nimmt das nicht an.
refused-offer-unreadable = Diese Karte kann erst verkauft werden, wenn sie im Dashboard korrigiert ist.
refused-refund-too-large = Das ist mehr, als von dieser Einlösung noch übrig ist. Ein Teil wurde schon gutgeschrieben.
refused-no-such-redemption = Diese Einlösung gibt es nicht, also ist nichts gutzuschreiben.
refused-too-many-requests = Zu viele Anfragen.
refused-not-paired = Diese Kasse ist nicht mehr gekoppelt.
refused-unreachable = Das Kartennetzwerk war nicht erreichbar. Versuchen Sie es noch einmal.
refused-by-network = Das Kartennetzwerk hat das abgelehnt.

not-sent-offline = Die Kasse hat keine Verbindung. Es wurde nichts gesendet.
not-sent-journal = Dieses Gerät konnte den Vorgang nicht speichern, deshalb wurde er nicht gesendet. Schaffen Sie Speicherplatz und versuchen Sie es dann noch einmal.
not-sent-busy = Das Ergebnis eines früheren Vorgangs ist noch nicht bekannt, deshalb wurde nichts gesendet. Siehe „Heute“.

look-up-no-connection = Keine Verbindung. Die Karte konnte nicht abgefragt werden. Versuchen Sie es noch einmal.
look-up-slow = Das Kartennetzwerk ist langsam und hat nicht geantwortet. Es wurde nichts geändert. Versuchen Sie es noch einmal.
look-up-in-use = Die Karte wird gerade anderswo benutzt.
look-up-failed = Die Karte konnte nicht abgefragt werden. Es wurde nichts geändert. Versuchen Sie es noch einmal.
other-nothing = Das ist nicht der Code einer Geschenkkarte.
other-link = Das ist ein Link, der zu keiner Karte dieses Unternehmens führt.
other-product = Das ist der Code eines Artikels, nicht der einer Geschenkkarte.

## Redeem

redeem-card-title = Karte mit der Endung { $card }
redeem-expired = Diese Karte ist abgelaufen. Von ihr kann nichts abgebucht werden.
redeem-empty = Diese Karte ist leer.
redeem-blocked = Diese Karte ist gesperrt. Von ihr kann nichts abgebucht werden.
redeem-unknown = Das Ergebnis einer früheren Einlösung ist noch nicht bekannt. Lösen Sie diese Karte bis dahin nicht noch einmal ein: siehe „Heute“.
redeem-whole-card = Gesamtes Guthaben verwenden
redeem-total = Einkaufssumme
redeem-from-card = Von der Karte
redeem-left-to-pay = Noch zu zahlen
redeem-enter-total = Einkaufssumme eingeben
redeem-button = { $amount } einlösen

## What was done with a card

history-button = Verlauf
history-title = Karte { $card }
history-loading = Der Verlauf wird geladen
history-issued = Ausgestellt
history-redeemed = Eingelöst
history-given-back = Gutgeschrieben
history-unknown = Noch nicht bekannt
history-changed = Geändert
history-differs = Das stimmt nicht mit dem Guthaben der Karte überein. Bitten Sie den Administrator, das zu prüfen.
history-balance = Jetzt auf der Karte: { $amount }
history-empty-title = Noch nichts
history-empty = Hier erscheint, was an Ihren Kassen und in Ihrem Shop mit dieser Karte geschieht.
history-earlier = Frühere anzeigen
history-refunded = { $amount } gutgeschrieben
history-none = Diese Karte hat hier keinen Verlauf.
history-failed = Der Verlauf konnte nicht geladen werden. Es wurde nichts geändert.

## Camera and scanner

camera-label = Kamera
camera-title = Code vor die Kamera halten
camera-hint = Halten Sie ihn ruhig, eine Handbreit entfernt.
camera-failed = Die Kamera ist nicht verfügbar. Erlauben Sie sie für diese Seite oder tippen Sie den Code ein.
camera-type = Code eintippen
scan-scanned = Gescannt: { $code }
scan-unreadable = Gescannt: ein unlesbarer Code
scan-unchanged = Auf dem Bildschirm hat sich nichts geändert.
scan-looking = Die Karte wird gesucht.
scan-another-card = Eine andere Karte? Auf dem Bildschirm hat sich nichts geändert.
scan-find = Karte suchen
scan-was-amount = Das war ein Betrag

## Sell

sell-title = Geschenkkarte verkaufen
sell-loading = Geschenkkarten werden geladen
sell-failed = Die Geschenkkarten konnten nicht geladen werden. Es wurde nichts geändert.
sell-empty-title = Keine Geschenkkarten im Verkauf
sell-empty = Was im Dashboard zum Verkauf freigegeben ist, erscheint hier.
sell-credit-title = Gutschrift ausstellen
sell-credit = Für zurückgegebene Ware. Der Kunde zahlt nichts dafür. Eine Einlösung wird unter „Heute“ gutgeschrieben.
sell-credit-free = Eine Gutschrift kostet den Kunden nichts.
sell-pay-first = Kassieren Sie zuerst, stellen Sie dann die Karte aus.
sell-credit-for-customer = Gutschrift für den Kunden
sell-to-be-paid = Vom Kunden zu zahlen
sell-amounts = Beträge
sell-give-button = { $amount } gutschreiben
sell-issue-button = Bezahlt, { $amount } ausstellen
price-range = { $min } bis { $max }
price-from = ab { $min }
price-up-to = bis { $max }
price-any = Beliebiger Betrag
enter-any = Geben Sie einen Betrag ein.
enter-range = Geben Sie { $min } bis { $max } ein.
enter-from = Geben Sie mindestens { $min } ein.
enter-exactly = Geben Sie { $amount } ein.
enter-at-most = Geben Sie höchstens { $amount } ein.

## How the customer gets the card

delivery-label = Übergabe
delivery-on-this-screen = Auf diesem Bildschirm
delivery-change = Ändern
delivery-title = Wie bekommt der Kunde die Karte?
delivery-screen = Bildschirm
delivery-email = E-Mail
delivery-sms = SMS
delivery-show = Hier zeigen
delivery-send = Dorthin senden
delivery-screen-hint = Der Code erscheint auf diesem Bildschirm. Er kann fotografiert, gescannt oder gedruckt werden.
delivery-email-label = E-Mail-Adresse
delivery-email-hint = Der Code erscheint auch hier.
delivery-email-wrong = Geben Sie eine Adresse wie { $example } ein.
delivery-sms-label = Mobilnummer
delivery-sms-hint = Mit Landesvorwahl, etwa { $example }.
delivery-sms-wrong = Geben Sie eine Mobilnummer mit Landesvorwahl ein.

## A card that was sold

sold-sent = Das Kartennetzwerk sendet sie einmal an { $address }.
sold-wrong-address = Falsche Adresse?
sold-wrong-address-help = Sie kann nicht noch einmal gesendet werden. Zeigen Sie den Code hier oder drucken Sie ihn: Es ist dieselbe Karte.
sold-no-code = Das Kartennetzwerk hat keinen Code zum Anzeigen geliefert. Suchen Sie die Bestellung im Dashboard.
sold-let-scan = Lassen Sie den Kunden den Code fotografieren oder scannen.
sold-full-screen = Vollbild
sold-print = Drucken
sold-code = Code der Geschenkkarte

## Give back

give-back = Gutschreiben
give-back-no-credit = Dieses Unternehmen hat keine Gutschriften. Legen Sie im Dashboard ein Angebot dafür an.
give-back-all = Alles wurde schon gutgeschrieben.
give-back-loading = Es wird geprüft, was gutgeschrieben werden kann
give-back-redeemed = Eingelöst von { $card }
give-back-already = Schon gutgeschrieben
give-back-at-most = Höchstens { $amount }.
give-back-continue = Weiter
give-back-why = Warum wird gutgeschrieben?
give-back-explained = Eine neue Karte mit einer Gutschrift von { $amount } für das, was von { $card } eingelöst wurde.
give-back-reason = Grund
give-back-returned = Ware zurückgegeben
give-back-wrong-amount = Falscher Betrag
give-back-other = Anderer Grund
give-back-reason-missing = Geben Sie den Grund ein.
give-back-choose = Wählen Sie einen Grund.
give-back-button = { $amount } gutschreiben

## What became of a call

outcome-refused = Abgelehnt
outcome-closed = Nicht ausgeführt
outcome-not-sent = Nicht gesendet
outcome-by-hand = Von Hand geprüft
outcome-unknown = Noch nicht bekannt
outcome-redeemed = { $amount } eingelöst
outcome-sold = Geschenkkarte über { $amount } verkauft
outcome-credit-given = Gutschrift über { $amount } ausgestellt
outcome-nothing-taken = Von der Karte wurde nichts abgebucht.
outcome-none-issued = Es wurde keine Karte ausgestellt.
outcome-stopped = Der Vorgang wurde gestoppt und wird nie ausgeführt.
outcome-connect = Die Kasse ist offline. Verbinden Sie sie und versuchen Sie es dann noch einmal.
outcome-found-by-hand = Das Ergebnis wurde an der Kasse festgestellt:
outcome-late = Die Antwort kam spät, aber der Vorgang war erfolgreich.
outcome-amount = Betrag
outcome-card = Karte
outcome-gift-card = Geschenkkarte
outcome-looking = Wird abgefragt
outcome-still-to-pay = Noch zu zahlen
outcome-left = Restguthaben
outcome-back-to-today = Zurück zu „Heute“
outcome-back-to-amount = Zurück zum Betrag
outcome-pay-rest = Andere Karte für { $amount }

unknown-redeem = Ob { $amount } von Karte { $card } abgebucht wurden oder nicht, steht nicht fest.
unknown-issue = Ob eine Geschenkkarte über { $amount } ausgestellt wurde oder nicht, steht nicht fest.
unknown-no-response = Es gibt noch keine Antwort.
unknown-no-connection = Die Kasse hat keine Verbindung.
unknown-do-not-redeem = Lösen Sie sie nicht noch einmal ein.
unknown-do-not-sell = Verkaufen Sie sie nicht noch einmal.
unknown-wait = Bitten Sie den Kunden zu warten. Diese Seite findet es heraus und sagt es Ihnen.
unknown-final = Das Portal kann das Ergebnis nicht nennen. Vergleichen Sie das Guthaben der Karte und die Bestellungen im Dashboard.
unknown-other-merchant = Der Vorgang wurde für { $merchant } begonnen und kann von hier nicht abgefragt werden.
unknown-some-merchant = Der Vorgang wurde für einen unbekannten Händler begonnen und kann von hier nicht abgefragt werden.
unknown-cannot-wait = Wenn der Kunde nicht warten kann
unknown-leave-redeem = Bedienen Sie den nächsten Kunden und kassieren Sie { $total } auf andere Weise: Was bis dahin nicht von der Karte abgebucht wurde, wird nie mehr abgebucht. Wurde es abgebucht, zeigt diese Kasse es unter „Heute“.
unknown-leave-issue = Bedienen Sie den nächsten Kunden: Was bis dahin nicht ausgestellt wurde, wird nie mehr ausgestellt. Wurde die Karte ausgestellt, steht ihr Code unter „Heute“ und kann gesendet werden.
unknown-sent = Gesendet
unknown-no-answer = Keine Antwort
unknown-asked =
    { $count ->
        [0] Noch nicht nachgefragt
        [1] Einmal nachgefragt, noch keine Antwort
        [2] Zweimal nachgefragt, noch keine Antwort
       *[other] { $count }-mal nachgefragt, noch keine Antwort
    }
unknown-asks-in = Anfrage in { $seconds } s
unknown-asks-again-in = wieder in { $seconds } s
unknown-asking = läuft
unknown-ask-now = Jetzt nachfragen
unknown-next-customer = Nächsten Kunden bedienen
by-hand = Ich habe es geprüft
by-hand-found = Was haben Sie festgestellt?
by-hand-hint = Etwa: Das Guthaben ist 150,50, also wurde abgebucht.
by-hand-missing = Beschreiben Sie in einem Satz, was Sie festgestellt haben.

## Today

today-title = Heute
today-empty-title = Noch nichts
today-empty = Karten, die diese Kasse verkauft und einlöst, erscheinen hier.
today-redeemed = Eingelöst
today-sold = Verkauft
today-done = Erledigt
today-redeem-row = Einlösung { $card }
today-sell-row = Verkauf { $offer }
today-give-row = Gutschrift { $offer }
today-earlier-version = Frühere Version

## Receipt, for the till

receipt-print = Beleg drucken
receipt-no-paper = Kein Papier? Lassen Sie den Kunden scannen
receipt-page = Die Seite fragt nach dem Code der Karte und zeigt ihr Guthaben.

## Ticket, receipt and codes: for the customer

qr-gift-card = QR-Code der Geschenkkarte
qr-balance-page = QR-Code der Seite, die das Guthaben einer Karte zeigt
paper-label = Zum Drucken
ticket-valid-to = Gültig bis { $date }
ticket-advice = Zeigen Sie diesen Code beim Bezahlen vor. Bewahren Sie ihn wie Bargeld auf: Wer den Code hat, kann ihn verwenden.
paper-balance = Guthaben abfragen:
receipt-title = Mit Geschenkkarte bezahlt
receipt-total = Einkaufssumme
receipt-card = Karte
receipt-left = Restguthaben
receipt-reference = Referenz
