// The ways in which a caller says who it is, for the OpenAPI document.

/** Those that a request carries. */
export const callerSchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'The administrator token, or an API token.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'For the compatible API alone: any user, with a token as the password.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tessera_session_ID',
    description:
      'The session that `POST /api/v1/auth/login` or a provider has begun. `ID` is that of ' +
      'the server, and with TLS `__Host-` comes before the name. A change must come from a page of the server, or without an `Origin`.',
  },
} as const

export const securitySchemes = {
  ...callerSchemes,
  certificate: {
    type: 'mutualTLS',
    description:
      'With `TESSERA_TLS_CLIENT_CA`, only clients with a certificate of these authorities connect. They need a token ' +
      'or a session all the same.',
  },
} as const

type Requirement = Partial<Record<keyof typeof securitySchemes, string[]>>

export const usualSecurity: Requirement[] = [{ token: [] }, { session: [] }]

export const compatibleSecurity: Requirement[] = [{ token: [] }, { basic: [] }, { session: [] }]
