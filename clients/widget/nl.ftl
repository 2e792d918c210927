# gift-card-widget.js has these messages in English.

heading = Cadeaukaarten
card = Cadeaukaart
choose = { $amount } kiezen
enter = Voer een bedrag in
amount = Bedrag in { $currency }
amounts = { $card }: bedrag
chosen = Gekozen: { $choice }
none = Nog geen cadeaukaarten. Ze zullen hier verschijnen.
failed = De cadeaukaarten konden niet worden geladen. Er is niets gewijzigd.
retry = Opnieuw proberen
