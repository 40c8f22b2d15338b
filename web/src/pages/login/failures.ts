import { t } from '../../language/text'

/** Why a link or a provider did not sign somebody in, in plain words. */
const failures = {
  login_code_invalid: {
    title: t('That link did not sign you in'),
    advice: t('It was used before, or has expired. Paste the token.'),
  },
  too_many_logins: {
    title: t('Too many wrong sign-ins came from your address'),
    advice: t('Wait a minute, then try again.'),
  },
  overloaded: { title: t('Too many people are signing in'), advice: t('Try again in a few seconds.') },
  oidc_unavailable: {
    title: t('The provider cannot be reached'),
    advice: t('Try again later. A password or the administrator token still works.'),
  },
  oidc_refused: {
    title: t('The provider refused the sign-in'),
    advice: t('Try again, or ask the people who run the provider.'),
  },
  oidc_invalid: {
    title: t('The answer of the provider is not valid'),
    advice: t('Sign in again. If it happens again, ask the operator of this server to look into its log.'),
  },
  oidc_expired: {
    title: t('The sign-in took too long, or began in another browser'),
    advice: t('Sign in again within 10 minutes.'),
  },
  oidc_name_missing: {
    title: t('The provider does not say who you are'),
    advice: t('Ask the operator of this server to look into its log.'),
  },
  oidc_no_grants: {
    title: t('You may do nothing here yet'),
    advice: t('The provider knows you, but none of your groups has access. Ask the operator of this server.'),
  },
  internal: { title: t('The server failed'), advice: t('Ask the operator of this server to look into its log.') },
} as const

export type SignInFailure = keyof typeof failures

export const isSignInFailure = (code: unknown): code is SignInFailure =>
  typeof code === 'string' && Object.hasOwn(failures, code)

export const wordsOf = (code: SignInFailure): { title: string; advice: string } => failures[code]
