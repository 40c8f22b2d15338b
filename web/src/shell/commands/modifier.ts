const mac = /Mac|iP(hone|ad)/.test(navigator.userAgent)

/** What the key of shortcuts is called on the reader's keyboard. */
export const MODIFIER = mac ? '⌘' : 'Ctrl'
