import {
  decodeAbiParameters,
  decodeFunctionData,
  toFunctionSelector,
  type Abi,
  type AbiFunction,
  type Hex,
} from 'viem'

const functions = new WeakMap<Abi, Map<string, AbiFunction>>()

/**
 * Decodes a call. Remembers the selectors of each ABI, which viem hashes every time.
 * @throws if the ABI has no such function
 */
export function decodeCall<const A extends Abi>(
  abi: A,
  data: Hex,
): ReturnType<typeof decodeFunctionData<A>> {
  const called = functionsOf(abi).get(data.slice(0, 10))
  if (!called) return decodeFunctionData({ abi: [], data }) as never
  const { name: functionName, inputs } = called
  const args = inputs.length > 0 ? decodeAbiParameters(inputs, `0x${data.slice(10)}`) : undefined
  return { functionName, args }
}

function functionsOf(abi: Abi): Map<string, AbiFunction> {
  let known = functions.get(abi)
  if (!known) {
    known = new Map()
    for (const item of abi) if (item.type === 'function') known.set(toFunctionSelector(item), item)
    functions.set(abi, known)
  }
  return known
}
