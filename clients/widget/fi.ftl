# gift-card-widget.js has these messages in English.

heading = Lahjakortit
card = Lahjakortti
choose = Valitse { $amount }
enter = Syötä summa
amount = Summa, { $currency }
amounts = { $card }: summa
chosen = Valittu: { $choice }
none = Ei vielä lahjakortteja. Ne tulevat näkyviin tähän.
failed = Lahjakortteja ei voitu ladata. Mitään ei muutettu.
retry = Yritä uudelleen
