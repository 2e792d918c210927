# en.ftl says where these messages stand.

## In all mails

greeting = Guten Tag { $name }!
greeting-nobody = Guten Tag!
open-portal = Portal öffnen
somebody = Ein Mitglied des Teams
your-account = Ihr Händlerkonto
unknown-program = unbekanntes Programm

## A code to sign in

code-subject = Ihr Anmeldecode
code-text = Geben Sie diesen Code ein, um sich bei { $host } anzumelden:
code-details = Er wurde um { $from } Uhr UTC angefordert ({ $browser }) und kann einmal verwendet werden, bis { $until } Uhr UTC.
code-secret = Behalten Sie diesen Code für sich: Lesen Sie ihn niemandem vor und geben Sie ihn nirgendwo sonst ein. Wir fragen nie danach.
code-unexpected = Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren: Ohne den Code kann sich niemand anmelden.
codes-off-subject = Ihre Anmeldecodes sind ausgeschaltet
codes-off-text = Um { $time } Uhr UTC wurde ein Anmeldecode angefordert ({ $browser }). Sie haben Codes ausgeschaltet: Melden Sie sich mit einem Passkey an.
codes-off-unexpected = Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren. Wenn Sie alle Ihre Passkeys verloren haben, antworten Sie auf diese E-Mail.

## An invitation, which its maker confirms

confirm-subject = Bestätigen Sie Ihre Einladung
confirm-text = Sie laden { $person } ({ $email }) in Ihr Team bei { $host } ein, mit diesen Rechten:
confirm-enter = Geben Sie diesen Code ein, um die Einladung zu bestätigen:
confirm-unexpected = Wenn Sie diese Person nicht eingeladen haben, verwendet möglicherweise jemand anderes Ihre Sitzung: Geben Sie den Code nirgendwo ein, öffnen Sie im Dashboard Ihr Konto und beenden Sie alle Ihre Sitzungen.
invite-subject = Sie wurden zu { $shop } eingeladen
invite-text = { $person } hat Sie eingeladen, im Händlerportal für { $shop } zu arbeiten, mit diesen Rechten:
invite-sign-in = Melden Sie sich mit dieser Adresse ({ $email }) an, um die Einladung anzunehmen:
invite-open = Einladung öffnen
invite-until = Die Einladung kann bis zum { $day } angenommen werden.
invite-unexpected = Wenn Sie diese Person nicht kennen, können Sie diese E-Mail ignorieren.

## What a member may do: a list

role-admin = Administrator: alles, auch das Team
role-full = Vollzugriff: alles außer dem Team
role-viewer = Lesezugriff: kann nur lesen
role-other = Mitglied
may-nothing = Noch nichts
may-information = Unternehmensdaten ansehen und ändern
may-organization = Geschäfte verwalten
may-team = Ins Team einladen, Team und Kassen verwalten
may-gift-cards = Angebote verwalten und Karten abfragen
may-analytics = Statistiken ansehen
may-reports = Abrechnungen ansehen
may-orders = Bestellungen ansehen
may-pos = An einer Kasse verkaufen und einlösen

## How one signs in

device-subject = Sie haben sich mit einem neuen Browser angemeldet
device-text = In Ihrem Konto gab es am { $day } um { $time } Uhr UTC eine Anmeldung mit einem neuen Browser: { $browser }.
device-unexpected = Wenn Sie das nicht waren, kann jemand Ihre E-Mails lesen. Melden Sie sich im Portal überall ab, sichern Sie Ihr Postfach und antworten Sie auf diese E-Mail, damit wir der Sache nachgehen können.
passkey-added-subject = Ein Passkey wurde hinzugefügt
passkey-added = Der Passkey { $name } wurde am { $day } um { $time } Uhr UTC zu Ihrem Konto hinzugefügt. Er kann jetzt zum Anmelden verwendet werden.
passkey-removed-subject = Ein Passkey wurde entfernt
passkey-removed = Der Passkey { $name } wurde am { $day } um { $time } Uhr UTC aus Ihrem Konto entfernt, und Sie wurden überall abgemeldet.
passkey-removed-codes-on = Sie können sich wieder mit Codes per E-Mail anmelden, weil der Verlust eines einzigen Geräts Sie sonst aussperren könnte.
passkey-refused-subject = Ein Passkey wurde abgelehnt
passkey-refused = Eine Anmeldung mit dem Passkey { $name } wurde am { $day } um { $time } Uhr UTC abgelehnt, weil es möglicherweise eine Kopie davon gibt.
passkey-refused-advice = Entfernen Sie den Passkey im Portal, es sei denn, Sie wissen von der Kopie.
codes-turned-off-subject = Anmeldecodes sind ausgeschaltet
codes-turned-off = Codes per E-Mail wurden für Ihr Konto am { $day } um { $time } Uhr UTC ausgeschaltet: Anmelden können Sie sich nur mit Ihren Passkeys.
codes-turned-on-subject = Anmeldecodes sind eingeschaltet
codes-turned-on = Codes per E-Mail wurden für Ihr Konto am { $day } um { $time } Uhr UTC wieder eingeschaltet.
codes-turned-on-by-platform = Die Plattform hat Codes per E-Mail für Ihr Konto am { $day } um { $time } Uhr UTC wieder eingeschaltet, weil uns jemand mitgeteilt hat, dass Sie Ihre Passkeys verloren haben.
sign-in-unexpected = Wenn Sie das nicht waren, kann jemand anderes Ihr Konto benutzen. Melden Sie sich im Portal überall ab, sichern Sie Ihr Postfach und antworten Sie auf diese E-Mail, damit wir der Sache nachgehen können.

## The merchant's account

account-subject = Ihre Unternehmensdaten wurden geändert
account-text = Die Daten von { $shop } wurden am { $day } um { $time } Uhr UTC geändert, über Ihr Konto oder mit einem API-Schlüssel, den Sie erstellt haben.
account-text-nameless = Die Daten Ihres Händlerkontos wurden am { $day } um { $time } Uhr UTC geändert, über Ihr Konto oder mit einem API-Schlüssel, den Sie erstellt haben.
account-what = Die Änderung kann die Namen oder Nummern des Unternehmens betreffen, seine Website, sein Logo oder seine Zeitzone. Sehen Sie sich die aktuellen Daten an:
account-unexpected = Wenn Sie das nicht waren, sagen Sie einem Administrator Ihres Teams Bescheid und antworten Sie auf diese E-Mail, damit wir der Sache nachgehen können.
verify-subject = Verifizieren Sie Ihr Unternehmen, um fortzufahren
verify-text = Vielen Dank, wir haben den Antrag von { $shop } erhalten.
verify-text-nameless = Vielen Dank, wir haben den Antrag Ihres Unternehmens erhalten.
verify-next = Im nächsten Schritt werden das Unternehmen und die Personen, die es leiten, verifiziert. Das übernimmt unser Verifizierungspartner auf seiner eigenen Seite:
verify-open = Unternehmen verifizieren
verify-time = Das dauert einige Minuten. Halten Sie ein Ausweisdokument und den Registerauszug des Unternehmens bereit. Sobald wir das Ergebnis kennen, erscheint es im Portal.
verify-unexpected = Wenn Sie keinen Antrag gestellt haben, folgen Sie dem Link nicht, sondern antworten Sie auf diese E-Mail, damit wir der Sache nachgehen können.
status-subject = Der Status Ihres Händlerkontos hat sich geändert
status-active = { $shop } ist aktiv.
status-active-means = Ihre Kassen können Geschenkkarten verkaufen und einlösen.
status-suspended = { $shop } ist gesperrt.
status-suspended-means = Bis auf Weiteres können Geschenkkarten weder verkauft noch eingelöst werden.
status-closed = { $shop } ist geschlossen.
status-closed-means = Geschenkkarten können nicht mehr verkauft oder eingelöst werden.
status-declined = { $shop } wurde abgelehnt.
status-declined-means = Wir können den Antrag Ihres Unternehmens nicht annehmen.
status-waiting = { $shop } wartet auf weitere Angaben.
status-waiting-means = Wir können noch nicht über Ihren Antrag entscheiden. Ergänzen Sie ihn im Portal und reichen Sie ihn noch einmal ein.
status-draft = { $shop } ist ein Entwurf.
status-draft-means = Vervollständigen Sie den Antrag im Portal und reichen Sie ihn ein.
status-review = { $shop } wird geprüft.
status-review-means = Wir benachrichtigen Sie, sobald wir über Ihren Antrag entschieden haben.
status-questions = Wenn Sie Fragen haben, antworten Sie auf diese E-Mail.
image-subject = Ein Bild Ihrer Geschenkkarten wurde entfernt
image-text = Wir haben ein Bild entfernt, das { $shop } veröffentlicht hatte: { $image }
image-means = Es wurde gelöscht und ist nicht mehr zu sehen. Geschenkkarten, die es zeigen, brauchen ein anderes Bild.
image-unexpected = Wenn Sie das für einen Irrtum halten, antworten Sie auf diese E-Mail.

## News of the team, to its administrators

joined-subject = Jemand ist dem Team von { $shop } beigetreten
joined = { $person } ({ $email }) ist am { $day } um { $time } Uhr UTC dem Team von { $shop } beigetreten.
joined-unexpected = Wenn niemand von Ihnen diese Person eingeladen hat, entfernen Sie sie im Dashboard.
left-subject = Jemand hat das Team von { $shop } verlassen
left = { $person } ({ $email }) hat am { $day } um { $time } Uhr UTC das Team von { $shop } verlassen.
removed-subject = Jemand wurde aus dem Team von { $shop } entfernt
removed = { $person } ({ $email }) wurde am { $day } um { $time } Uhr UTC aus dem Team von { $shop } entfernt.
administrator-subject = { $shop } hat einen neuen Administrator
administrator = { $person } ({ $email }) hat am { $day } um { $time } Uhr UTC Administratorrechte bei { $shop } erhalten.
team-open = Team ansehen
team-unexpected = Wenn das nicht so sein soll, prüfen Sie das Team und seine Aktivitäten im Dashboard.
till-subject = Eine Kasse wurde mit { $shop } gekoppelt
till-text = Die Kasse { $till } im Geschäft { $store } wurde am { $day } um { $time } Uhr UTC gekoppelt. Sie kann Geschenkkarten von { $shop } verkaufen und einlösen.
till-open = Alle Kassen ansehen
till-unexpected = Wenn Sie diese Kasse nicht kennen, sperren Sie sie im Dashboard: Sie funktioniert dann sofort nicht mehr.

## News of keys, which let a program call the API

key-created-subject = Ein API-Schlüssel wurde für { $shop } erstellt
key-created = { $person } hat am { $day } um { $time } Uhr UTC den API-Schlüssel { $key } von { $shop } erstellt.
key-rotated-subject = Ein API-Schlüssel von { $shop } wurde erneuert
key-rotated = { $person } hat am { $day } um { $time } Uhr UTC das Geheimnis des API-Schlüssels { $key } von { $shop } ersetzt.
key-reads = Damit kann ein Programm lesen, was diese Berechtigungen umfassen: { $permissions }. Der Schlüssel läuft am { $day } um { $time } Uhr UTC ab.
key-writes = Damit kann ein Programm lesen und ändern, was diese Berechtigungen umfassen: { $permissions }. Der Schlüssel läuft am { $day } um { $time } Uhr UTC ab.
key-unexpected = Wenn Sie diesen Schlüssel nicht kennen, widerrufen Sie ihn im Dashboard: Er funktioniert dann sofort nicht mehr.
key-ending-subject = Ein API-Schlüssel von { $shop } wird bald ungültig
key-ending = Der API-Schlüssel { $key } von { $shop } wird am { $day } um { $time } Uhr UTC ungültig: { $person } hat ihn erstellt und hat das Team verlassen oder kann seine Berechtigungen nicht mehr erteilen.
key-expiring-subject = Ein API-Schlüssel von { $shop } läuft bald ab
key-expiring = Der API-Schlüssel { $key } von { $shop } läuft am { $day } um { $time } Uhr UTC ab.
key-rotate = Wenn er noch gebraucht wird, kann ihn vorher jemand mit seinen Berechtigungen im Dashboard erneuern und dem Programm das neue Geheimnis geben. Andernfalls ist nichts zu tun.
key-revoked-subject = Ein API-Schlüssel von { $shop } wurde widerrufen
key-revoked = Die Plattform hat am { $day } um { $time } Uhr UTC den API-Schlüssel { $key } von { $shop } widerrufen: Er ist möglicherweise anderen bekannt. Programme, die ihn noch verwenden, werden abgewiesen.
key-replace = Erstellen Sie im Dashboard einen anderen API-Schlüssel und finden Sie heraus, wo der alte veröffentlicht wurde.
key-open = Alle API-Schlüssel ansehen

## News of webhooks

webhook-set-subject = Ein Webhook-Endpunkt wurde für { $shop } festgelegt
webhook-set = { $person } hat { $host } am { $day } um { $time } Uhr UTC als Empfänger für diese Nachrichten von { $shop } eingerichtet, und für keine anderen: { $events }.
webhook-set-unexpected = Wenn Sie diese Adresse nicht kennen oder wenn eine Nachricht fehlt, bitten Sie Ihren Entwickler, den Endpunkt zu ändern oder zu löschen.
webhook-deleted-subject = Ein Webhook-Endpunkt wurde für { $shop } gelöscht
webhook-deleted = { $person } hat am { $day } um { $time } Uhr UTC den Endpunkt { $host } gelöscht. Dorthin wird nichts mehr gesendet.
webhook-disabled-subject = Nachrichten von { $shop } werden nicht mehr zugestellt
webhook-gone = Seit dem { $day } um { $time } Uhr UTC wurde von { $shop } nichts mehr an { $host } gesendet: Der Endpunkt hat geantwortet, dass er keine Nachrichten mehr möchte.
webhook-failing = Seit dem { $day } um { $time } Uhr UTC wurde von { $shop } nichts mehr an { $host } gesendet: Der Endpunkt hat fünf Tage lang keine Nachricht angenommen.
webhook-enable = Neue Nachrichten werden drei Tage aufbewahrt. Bitten Sie Ihren Entwickler, den Endpunkt zu aktivieren, sobald er wieder funktioniert.
webhook-open = Alle Endpunkte ansehen
