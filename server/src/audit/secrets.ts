// Secrets that a client may send in a wrong place, known by the form of ours: in a path, in a name, behind another word.

/** An API token, or a part of one that leaves less than half of its bits to guess. */
const API_TOKEN = /tsr_[A-Za-z0-9_-]{6,}/g
/** The administrator token, a login code, a session or a secret of a webhook, with some characters lost or added. */
const RANDOM_LEAST = 32
const RANDOM = new RegExp(`[A-Za-z0-9_-]{${RANDOM_LEAST},}`, 'g')
/** Fields that have a secret, whatever it looks like. */
const FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'clientSecret',
  'code',
  'cookie',
  'newPassword',
  'password',
  'secret',
  'token',
])
/** Characters of a secret that are shown, so that a person can find out which one it was. */
const SHOWN = 4
/** Random letters and digits change their kind about 63 times in 100 characters, names of words 20 to 32 times. */
const CHANGES_LEAST = 0.35
/** Names often have one, which is random and no secret of ours. */
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

export const NOT_RECORDED = '(not recorded)'

export const isSecretField = (key: string): boolean => FIELDS.has(key)

/** The text without secrets of ours. */
export const withoutSecrets = (text: string): string =>
  text.replace(API_TOKEN, shortened).replace(RANDOM, (run) => (isRandom(run) ? shortened(run) : run))

const shortened = (secret: string): string => `${secret.slice(0, SHOWN)}… ${NOT_RECORDED}`

/** As 32 random bytes in base64url are, and no words, numbers or hex digits. */
function isRandom(run: string): boolean {
  const kinds = Array.from(run.replace(UUID, ''), kindOf)
  if (kinds.length < RANDOM_LEAST || !kinds.includes('a') || !kinds.includes('A')) return false
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length
  return changes >= CHANGES_LEAST * kinds.length
}

function kindOf(character: string): string {
  if (/[a-z]/.test(character)) return 'a'
  if (/[A-Z]/.test(character)) return 'A'
  return /\d/.test(character) ? '0' : '-'
}
