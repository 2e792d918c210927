// What the API's codes mean, for reading. Loaded with the first refusal.

export const WORDS = new Map(
  Object.entries({
    CODE_INVALID: "That code is wrong or has expired.",
    ALREADY_LINKED: "You belong to a business already.",
    ALREADY_MEMBER: "This person is in your team already.",
    ALREADY_INVITED: "This person is invited already. Send the invitation again instead.",
    OTHER_MERCHANT: "You are signed in for another business now. Reload the page to see it.",
    SLUG_TAKEN: "This address is taken. Choose another one.",
    OTHER_ADDRESS: "The invitation is for another address. Sign in with that one.",
    INVITE_OVER: "This invitation is over. Ask for a new one.",
    NOT_DRAFT: "The application has been sent. It cannot be deleted any more.",
    OWN_MERCHANT: "This is your own business. Another administrator has to do it.",
    SECOND_PERSON: "You started this payout. Another administrator has to confirm it.",
    STATUS_CONFLICT: "The status has changed meanwhile. Reload the page.",
    NETWORK_ACCOUNT_TAKEN: "Another merchant has this network account.",
    NO_SUCH_NETWORK_ACCOUNT: "The card network has no such account. Check the digits.",
    CARD_NETWORK_UNAVAILABLE: "The card network could not be asked. Try again in a moment.",
    IDENTITY_CHANGED: "The business has changed since you read it. Close this, and read it again.",
    MERCHANT_NOT_PAYABLE:
      "The merchant cannot be paid now. Look at its status, and at changes that nobody has reviewed.",
    MODE_FIXED: "The settlement mode is set and cannot be changed.",
    BATCH_CLOSED: "This payout is closed already.",
    BATCH_BUILDING: "This payout is still being put together. Try again in a moment.",
    EXPORT_RUNNING: "Another export is running. Wait until it is ready.",
    IN_BATCH: "This settlement is part of a payout already.",
    WEBHOOK_LIMIT: "You have 5 endpoints, and cannot have more. Delete one that is not used any more.",
    WEBHOOK_DISABLED: "The endpoint is disabled. Enable it first.",
    WEBHOOK_WITHHELD: "Whoever changed the address was not allowed to see this message. It is not sent there.",
    SETTLEMENT_CLOSED: "This settlement is closed already.",
  }),
);
