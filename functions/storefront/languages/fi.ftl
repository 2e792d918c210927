# en.ftl says where these messages stand.

## The page of a shop

shop-title = Lahjakortit: { $shop }
shop-description = Lahjakortit joka tilaisuuteen: { $shop }.
shop-visit = Siirry osoitteeseen { $host }
shop-gift-cards = Lahjakortit
shop-empty-title = Ei vielä lahjakortteja
shop-empty = { $shop }: lahjakortteja ei ole juuri nyt myynnissä.
shop-sold-by = Lahjakortit myy { $shop }.
shop-sold-in-shop = Lahjakortit myydään myymälässä.
shop-check-balance = Tarkista kortin saldo
shop-terms = Ehdot

## A gift card on sale

offer-drawn = Lahjakortti
offer-amounts = Summa: { $offer }
offer-other = Muu
offer-other-amount = Muu summa
offer-amount-in = Summa, { $currency }
offer-enter-range = Syötä summa väliltä { $min } – { $max }.
offer-enter-from = Syötä vähintään { $min }.
offer-enter-up-to = Syötä enintään { $max }.
offer-enter-any = Syötä summa.
offer-range = { $min } – { $max }
offer-from = Vähintään { $min }
offer-up-to = Enintään { $max }
offer-any = Mikä tahansa summa
offer-buy = Osta
offer-buy-any = Osta { $offer }
offer-buy-for = Osta { $offer }, { $amount }
offer-sold-in-shop = Myydään myymälässä

## The page of card holders

card-title = Lahjakorttisi: { $shop }
card-heading = Lahjakorttisi
card-code = Kortin koodi
card-code-hint = Koodi on kortissa, sen kuitissa tai saamassasi sähköpostissa.
card-show = Näytä saldo
card-balance = Saldo
card-unknown = Ei tiedossa juuri nyt
card-valid-until = Viimeinen voimassaolopäivä
card-expired-on = Vanhentui
card-reference = Kortti
card-pay = Maksa kortilla näyttämällä koodi kassalla: { $shop }.
card-empty = Kortin saldo on nolla.
card-expired = Tätä korttia ei voi enää käyttää.
card-blocked = Tätä korttia ei voi käyttää juuri nyt. Kysy myyjältä: { $shop }.
card-qr = Kortin koodi luettavaksi
card-another = Tarkista toinen kortti

## Why there is no balance

refused-no-code = Syötä korttisi koodi.
refused-long-code = Koodi on liian pitkä: siinä voi olla enintään 500 merkkiä.
refused-unknown-card = Tällä kaupalla ei ole lahjakorttia, jolla on tämä koodi.
refused-too-many = Liian monta koodia on kokeiltu. Yritä myöhemmin uudelleen.
refused-network = Korttia ei voi hakea juuri nyt. Yritä uudelleen.
refused-failed = Jokin meni vikaan. Yritä uudelleen.

## In the place of a page

missing-shop = Tässä osoitteessa ei ole kauppaa.
missing-shop-advice = Tarkista osoite tai pyydä linkki.
failed-catalog = Valikoimaa ei voitu ladata. Yritä uudelleen.
failed-advice = Mitään ei muutettu.

## Languages

menu-label = Kieli
