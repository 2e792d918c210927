# en.ftl says where these messages stand.

## The page of a shop

shop-title = { $shop }のギフトカード
shop-description = さまざまな機会に使える、{ $shop }のギフトカードです。
shop-visit = { $host }を見る
shop-gift-cards = ギフトカード
shop-empty-title = ギフトカードはまだありません
shop-empty = 現在、{ $shop }で販売中のギフトカードはありません。
shop-sold-by = ギフトカードの販売者は{ $shop }です。
shop-sold-in-shop = ギフトカードは店舗で販売しています。
shop-check-balance = カードの残高を確認
shop-terms = 利用規約

## A gift card on sale

offer-drawn = ギフトカード
offer-amounts = { $offer }の金額
offer-other = その他
offer-other-amount = その他の金額
offer-amount-in = 金額（{ $currency }）
offer-enter-range = { $min }から{ $max }の間で入力してください。
offer-enter-from = { $min }以上を入力してください。
offer-enter-up-to = { $max }以下を入力してください。
offer-enter-any = 金額を入力してください。
offer-range = { $min }～{ $max }
offer-from = { $min }以上
offer-up-to = { $max }まで
offer-any = 任意の金額
offer-buy = 購入する
offer-buy-any = 購入する：{ $offer }
offer-buy-for = 購入する：{ $offer }、{ $amount }
offer-sold-in-shop = 店舗で販売しています

## The page of card holders

card-title = お持ちの{ $shop }のギフトカード
card-heading = お持ちのギフトカード
card-code = カードのコード
card-code-hint = コードは、カード、レシート、または受け取られたメールに記載されています。
card-show = 残高を表示
card-balance = 残高
card-unknown = 現在わかりません
card-valid-until = 有効期限
card-expired-on = 期限切れの日
card-reference = カード
card-pay = お支払いの際は、{ $shop }のレジでコードをスキャンしてもらってください。
card-empty = このカードの残高はゼロです。
card-expired = このカードはもう使えません。
card-blocked = このカードは現在使えません。{ $shop }にお問い合わせください。
card-qr = スキャン用のカードのコード
card-another = 別のカードを確認

## Why there is no balance

refused-no-code = カードのコードを入力してください。
refused-long-code = コードが長すぎます。500文字以内で入力してください。
refused-unknown-card = このショップには、このコードのギフトカードはありません。
refused-too-many = 試されたコードが多すぎます。しばらくしてからもう一度お試しください。
refused-network = 現在カードを照会できません。もう一度お試しください。
refused-failed = 問題が発生しました。もう一度お試しください。

## In the place of a page

missing-shop = このアドレスにショップはありません。
missing-shop-advice = アドレスを確認するか、リンクをお尋ねください。
failed-catalog = 商品を読み込めませんでした。もう一度お試しください。
failed-advice = 何も変更されていません。

## Languages

menu-label = 言語
