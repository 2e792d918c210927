# en.ftl says where these messages stand.

## The page of a shop

shop-title = Tarjetas regalo de { $shop }
shop-description = Tarjetas regalo de { $shop }, para cualquier ocasión.
shop-visit = Visitar { $host }
shop-gift-cards = Tarjetas regalo
shop-empty-title = Todavía no hay tarjetas regalo
shop-empty = { $shop } no tiene tarjetas regalo a la venta en este momento.
shop-sold-by = Las tarjetas regalo las vende { $shop }.
shop-sold-in-shop = Las tarjetas regalo se venden en la tienda.
shop-check-balance = Consultar el saldo de una tarjeta
shop-terms = Condiciones

## A gift card on sale

offer-drawn = Tarjeta regalo
offer-amounts = Importe de { $offer }
offer-other = Otro
offer-other-amount = Otro importe
offer-amount-in = Importe en { $currency }
offer-enter-range = Introduzca de { $min } a { $max }.
offer-enter-from = Introduzca { $min } o más.
offer-enter-up-to = Introduzca como mucho { $max }.
offer-enter-any = Introduzca un importe.
offer-range = De { $min } a { $max }
offer-from = { $min } o más
offer-up-to = Hasta { $max }
offer-any = Cualquier importe
offer-buy = Comprar
offer-buy-any = Comprar { $offer }
offer-buy-for = Comprar { $offer }, { $amount }
offer-sold-in-shop = A la venta en la tienda

## The page of card holders

card-title = Su tarjeta regalo de { $shop }
card-heading = Su tarjeta regalo
card-code = Código de la tarjeta
card-code-hint = El código está en la tarjeta, en su recibo o en el correo que ha recibido.
card-show = Mostrar el saldo
card-balance = Saldo
card-unknown = No se conoce en este momento
card-valid-until = Válida hasta el
card-expired-on = Caducó el
card-reference = Tarjeta
card-pay = Para pagar con ella, deje que escaneen el código en la caja de { $shop }.
card-empty = El saldo de esta tarjeta es cero.
card-expired = Esta tarjeta ya no se puede usar.
card-blocked = Esta tarjeta no se puede usar en este momento. Pregunte a { $shop }.
card-qr = Código de la tarjeta, para escanear
card-another = Consultar otra tarjeta

## Why there is no balance

refused-no-code = Introduzca el código de su tarjeta.
refused-long-code = Este código es demasiado largo: puede tener como mucho 500 caracteres.
refused-unknown-card = Esta tienda no tiene ninguna tarjeta regalo con este código.
refused-too-many = Se han probado demasiados códigos. Inténtelo de nuevo más tarde.
refused-network = La tarjeta no se puede consultar en este momento. Inténtelo de nuevo.
refused-failed = Algo ha fallado. Inténtelo de nuevo.

## In the place of a page

missing-shop = No hay ninguna tienda en esta dirección.
missing-shop-advice = Compruebe la dirección o pida el enlace.
failed-catalog = No se pudo leer el catálogo. Inténtelo de nuevo.
failed-advice = No se ha cambiado nada.

## Languages

menu-label = Idioma
