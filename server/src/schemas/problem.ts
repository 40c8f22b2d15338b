import { type Static, Type } from 'typebox'
import { flag, text } from './quantities.js'
import { Said } from './sentence.js'

export const Problem = Type.Object(
  {
    type: text('Link to the explanation of the code.'),
    title: text('The error in a few words, the same for every failure with this code.'),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: text('What is wrong with this request.'),
    said: Said,
    instance: text('Path of the request.'),
    code: text('Stable error code, listed in docs/errors.md. Branch on it.'),
    field: Type.Optional(text('The field, parameter or header at fault. Unset if there is none.')),
    retryable: flag('True if the same request may succeed later.'),
    requestId: text('Id of the request, also in `X-Request-Id` and in the log of the server.'),
  },
  {
    title: 'Problem',
    description: 'A failure, in the format of RFC 9457.',
    examples: [
      {
        type: '/docs/errors#namespace_not_found',
        title: 'No such namespace',
        status: 404,
        detail: 'there is no namespace "none"',
        instance: '/api/v1/namespaces/none',
        code: 'namespace_not_found',
        retryable: false,
        requestId: 'f68fc031-22',
      },
    ],
  },
)
export type Problem = Static<typeof Problem>
