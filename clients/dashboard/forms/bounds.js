// Written by `cargo run --bin routes`.
/** The most characters of the fields of each operation. */
export const maxLength = {
  "addPasskey": {
    "name": 80
  },
  "cancelOperation": {
    "idempotencyKey": 255
  },
  "changeMerchant": {
    "reason": 500,
    "slug": 40
  },
  "createInvite": {
    "email": 254,
    "firstName": 80,
    "lastName": 80
  },
  "createKey": {
    "name": 80
  },
  "createTill": {
    "name": 80,
    "retailStoreName": 80
  },
  "decidePayout": {
    "reason": 500,
    "reference": 140
  },
  "foundMerchant": {
    "name": 80,
    "slug": 40
  },
  "getCardBalance": {
    "code": 500
  },
  "holdSettlement": {
    "reason": 500
  },
  "issueGiftCard": {
    "paymentReference": 80,
    "refundReason": 200
  },
  "redeemGiftCard": {
    "qrCode": 1000,
    "retailStoreName": 1000
  },
  "requestSignInCode": {
    "email": 254
  },
  "submitApplication": {
    "legalAddress": {
      "city": 200,
      "country": 200,
      "line1": 200,
      "postalCode": 200,
      "state": 200
    },
    "registrationNumber": 200,
    "tradingName": 80,
    "vatNumber": 200
  },
  "takeDownImage": {
    "reason": 500
  },
  "updateProfile": {
    "brand": {
      "category": 1000,
      "descriptor": 1000,
      "facebook": 1000,
      "instagram": 1000,
      "logoUrl": 1000,
      "primaryColor": 7,
      "twitter": 1000,
      "website": 1000
    },
    "company": {
      "country": 1000,
      "currency": 1000,
      "externalMerchantId": 1000,
      "legalName": 1000,
      "orgNumber": 1000,
      "status": 1000,
      "taxNumber": 1000,
      "timeZone": 1000,
      "tradeName": 1000
    }
  },
  "updateUser": {
    "firstName": 80,
    "lastName": 80
  }
};
