import { text } from '../../api/http/answers-schema.ts'
import type { Operation } from '../operation.ts'

export const referenceOperations: Operation[] = [
  {
    method: 'get',
    path: '/reference/openapi.yaml',
    id: 'getReferenceDocument',
    tag: 'Reference',
    summary: 'This document',
    contentType: 'application/yaml',
    calls: [
      {
        name: 'document',
        summary: 'This document',
        limit: null,
        answers: { 200: text('OpenAPI 3.1, as YAML.') },
        refusals: [],
        example: { answer: null },
      },
    ],
  },
  {
    method: 'get',
    path: '/reference',
    id: 'getReferencePage',
    tag: 'Reference',
    summary: 'This document as a page',
    contentType: 'text/html',
    calls: [
      {
        name: 'page',
        summary: 'This document as a page',
        limit: null,
        answers: { 200: text('HTML.') },
        refusals: [],
        example: { answer: null },
      },
    ],
  },
]
