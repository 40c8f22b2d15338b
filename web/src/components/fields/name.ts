import { t } from '../../language/text'

/** The rule for names of namespaces and tokens. */
export const isName = (name: string): boolean => /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,63}$/.test(name)

export const nameRule = t('1 to 63 letters, digits, “_”, “.” or “-”')
