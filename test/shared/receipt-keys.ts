/** The keys of receipts in tests: one that signs, and an earlier one. */
export const RECEIPT_KEYS = JSON.stringify({
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      nbf: 1_700_000_000,
      x: '5m71ieTER42vxEDkLIa6x6ckgzDF54YQLs_4muBnWms',
      y: '6ao3TD4qAxqsWrca7AkQVyBZiijoWkJFLR7srChz-vw',
      d: 'nS7qHKVJEygPQS0fK84BFshIeLb2fqcWLOH_yUnX7E4',
    },
    {
      kty: 'EC',
      crv: 'P-256',
      nbf: 1_600_000_000,
      exp: 1_700_000_000,
      x: 'JekP18d8fXVQs2gcmwKIMgO5lNWy9JRKyrnqkya5Mrk',
      y: 'RC_gbE9uWyPN95LPUx5TCtGDgQAD_3-biKS_NOK5cmY',
    },
  ],
})
