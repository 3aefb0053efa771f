import { Document, isScalar, visit } from 'yaml'
import { openApi } from './document.ts'
import { OPERATIONS } from './operations.ts'

/** Returns the API reference as written to reference/openapi.yaml. */
export function referenceYaml(): string {
  const document = new Document(openApi(OPERATIONS), {
    aliasDuplicateObjects: false,
    // Quotes words that readers of YAML 1.1 take for a flag or a time: off, 2026-04-14.
    schema: 'yaml-1.1',
  })
  visit(document, {
    Seq: (_key, list) => {
      list.flow = list.items.every((item) => isScalar(item))
    },
  })
  return document.toString({ lineWidth: 0, blockQuote: 'literal' })
}
