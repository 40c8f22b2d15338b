/** Why a link or a provider did not sign somebody in, in plain words. */
const failures = {
  login_code_invalid: {
    title: 'That link did not sign you in',
    advice: 'It was used before, or has expired. Paste the token.',
  },
  too_many_logins: {
    title: 'Too many wrong sign-ins came from your address',
    advice: 'Wait a minute, then try again.',
  },
  overloaded: { title: 'Too many people are signing in', advice: 'Try again in a few seconds.' },
  oidc_unavailable: {
    title: 'The provider cannot be reached',
    advice: 'Try again later. A password or the administrator token still works.',
  },
  oidc_refused: {
    title: 'The provider refused the sign-in',
    advice: 'Try again, or ask the people who run the provider.',
  },
  oidc_invalid: {
    title: 'The answer of the provider is not valid',
    advice: 'Sign in again. If it happens again, ask the operator of this server to look into its log.',
  },
  oidc_expired: {
    title: 'The sign-in took too long, or began in another browser',
    advice: 'Sign in again within 10 minutes.',
  },
  oidc_name_missing: {
    title: 'The provider does not say who you are',
    advice: 'Ask the operator of this server to look into its log.',
  },
  oidc_no_grants: {
    title: 'You may do nothing here yet',
    advice: 'The provider knows you, but none of your groups has access. Ask the operator of this server.',
  },
  internal: { title: 'The server failed', advice: 'Ask the operator of this server to look into its log.' },
} as const

export type SignInFailure = keyof typeof failures

export const isSignInFailure = (code: unknown): code is SignInFailure =>
  typeof code === 'string' && Object.hasOwn(failures, code)

export const wordsOf = (code: SignInFailure): { title: string; advice: string } => failures[code]
