/** The item of a list that the address of the page leads into, by `?field=`. @param list its place, with dots between */
export function itemInAddress(list: string): number | undefined {
  const place = new URLSearchParams(location.search).get('field') ?? ''
  const [index = ''] = place.startsWith(`${list}.`) ? place.slice(list.length + 1).split('.') : []
  return /^\d+$/.test(index) ? Number(index) : undefined
}
