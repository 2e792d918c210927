# gift-card-widget.js has these messages in English.

heading = Geschenkkarten
card = Geschenkkarte
choose = { $amount } wählen
enter = Betrag eingeben
amount = Betrag in { $currency }
amounts = { $card }: Betrag
chosen = Gewählt: { $choice }
none = Noch keine Geschenkkarten. Sie werden hier erscheinen.
failed = Die Geschenkkarten konnten nicht geladen werden. Es wurde nichts geändert.
retry = Erneut versuchen
