import { t } from '../../language/text'

export const passwordRule = t('12 to 256 characters, without the name of the user, and not easy to guess')

/** Whether the server takes it as a new password. */
export function isPassword(password: string, user: string): boolean {
  const text = password.normalize('NFKC')
  const { length } = [...text]
  const hasName = user.length >= 3 && text.toLowerCase().includes(user.toLowerCase())
  return length >= 12 && length <= 256 && !hasName
}
