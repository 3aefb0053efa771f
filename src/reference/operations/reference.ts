import { text } from '../../api/http/answers-schema.ts'
import type { TagOperation } from '../operation.ts'

export const referenceOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/reference/openapi.yaml',
    id: 'getReferenceDocument',
    summary: 'This document',
    contentType: 'application/yaml',
    name: 'document',
    limit: null,
    answers: { 200: text('OpenAPI 3.1, as YAML.') },
    example: { answer: null },
  },
  {
    method: 'get',
    path: '/reference',
    id: 'getReferencePage',
    summary: 'This document as a page',
    contentType: 'text/html',
    name: 'page',
    limit: null,
    answers: { 200: text('HTML.') },
    example: { answer: null },
  },
]
