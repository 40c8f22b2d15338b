// Files in the folder `access` of the data directory. One may be there without the other.

export const TOKENS_FILE = 'tokens.json'
export const USERS_FILE = 'users.json'
