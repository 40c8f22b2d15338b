// The codes of who may not call: credentials, users, sessions, tokens, and where a request comes from.
import { entry } from './error-entry.js'

export const accessErrors = {
  auth_required: entry(401, 'Authentication is required', 'Send Authorization: Bearer with the token, or sign in.'),
  auth_invalid: entry(
    401,
    'Credentials are wrong',
    'Use the token in the data directory, an API token that was not revoked and has not expired, or a user who is not disabled.',
  ),
  role_required: entry(403, 'Role is not enough', 'Use a token or a user with the role that the answer names.'),
  token_not_found: entry(404, 'No such API token', 'List the tokens.'),
  token_exists: entry(409, 'API token exists', 'Choose another name, or revoke the token that has it.'),
  token_limit: entry(409, 'Too many API tokens', 'Revoke one that is no longer needed.'),
  login_code_invalid: entry(
    401,
    'Login link was used or has expired',
    'Create a new link with POST /api/v1/auth/login. Each works once.',
  ),
  oidc_unavailable: entry(
    503,
    'Provider of the sign-in does not answer as it should',
    'Try again later. The log of the server has the reason. Users with a password can sign in meanwhile.',
  ),
  oidc_refused: entry(
    403,
    'Provider refused the sign-in',
    'Ask the people who run the provider. The log of the server has what it said.',
  ),
  logout_token_invalid: entry(
    400,
    'Logout token is not valid',
    'Check the clock, the client id and the keys of the provider. A token is taken once.',
  ),
  oidc_invalid: entry(
    401,
    'Answer of the provider is not valid',
    'Sign in again. If it happens again, the log of the server has the reason.',
  ),
  oidc_expired: entry(
    400,
    'Sign-in took too long, or began in another browser',
    'Sign in again, within 10 minutes and in one browser.',
  ),
  oidc_name_missing: entry(
    403,
    'Provider does not name the person',
    'Set TESSERA_OIDC_USER_CLAIM to a claim that the provider sends, or ask for more with TESSERA_OIDC_SCOPES.',
  ),
  oidc_no_grants: entry(
    403,
    'Person has no grant here',
    'An operator of the server adds one of the groups of this person to the file of TESSERA_OIDC_GRANTS.',
  ),
  user_not_found: entry(404, 'No such user', 'List the users.'),
  user_exists: entry(409, 'User exists', 'Choose another name; case does not count.'),
  user_limit: entry(409, 'Too many users', 'Remove one who is no longer needed.'),
  user_required: entry(403, 'Only users have a password', 'Sign in with a user and a password.'),
  password_wrong: entry(403, 'Old password is wrong', 'Send the password that you sign in with.'),
  code_required: entry(
    403,
    'A code is needed',
    'Send the code of your authenticator app, or a recovery code, as code.',
  ),
  code_invalid: entry(
    403,
    'Code is wrong, or was used',
    'Wait for the next code of the app, and check the clock of its device. A recovery code works once.',
  ),
  second_factor_required: entry(
    403,
    'A second factor is needed',
    'Set one up on the sign-in page of the console, or with POST /api/v1/auth/second-factor.',
  ),
  second_factor_not_begun: entry(
    409,
    'No set-up is under way',
    'Begin with POST /api/v1/auth/second-factor, and confirm within 10 minutes in the same session.',
  ),
  second_factor_not_found: entry(404, 'No second factor', 'The password alone signs in: nothing is to be done.'),
  sign_in_again: entry(403, 'A fresh sign-in is needed', 'Sign in again, then repeat the call.'),
  session_not_found: entry(404, 'No such session', 'List the sessions.'),
  too_many_logins: entry(429, 'Too many wrong credentials', 'Wait for the seconds in Retry-After.'),
  too_many_requests: entry(
    429,
    'Limit of the caller is reached',
    'Wait for the seconds in Retry-After, and send fewer requests. An administrator can change the limits.',
  ),
  origin_refused: entry(403, 'Request comes from another site', 'Call from the console, or with the token.'),
  host_refused: entry(
    403,
    'Host name is refused',
    'Without authentication, use localhost or 127.0.0.1. Otherwise use a name of TESSERA_HOSTS.',
  ),
} as const
