import sharp, { type Sharp } from 'sharp'

export const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
 exif:GPSLatitude="48,51.5N" exif:GPSLongitude='2,17.4E' photoshop:City="Paris" dc:format="a &gt; b">
<exif:GPSAltitude>3321/10</exif:GPSAltitude><dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>
<ext:LocationShown><rdf:Bag><rdf:li rdf:parseType="Resource"><ext:Sublocation>Trocadéro</ext:Sublocation></rdf:li></rdf:Bag></ext:LocationShown>
</rdf:Description></rdf:RDF></x:xmpmeta>`

/** Texts that no file may contain once its location is stripped. */
export const PLACES = ['48,51.5N', '2,17.4E', 'Paris', '3321/10', 'Trocad'] as const

const EXIF = {
  IFD0: { Copyright: 'Ada Lovelace', Orientation: '6' },
  IFD2: { UserComment: 'kept' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '48/1 51/1 29/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '2/1 17/1 40/1',
    GPSMapDatum: 'WGS-84-CANARY',
  },
}

/** A picture without metadata in which neighbouring pixels differ. */
export function plainPicture(width = 64, height = 40): Sharp {
  const raw = Buffer.alloc(width * height * 3)
  for (let index = 0; index < raw.length; index += 1) raw[index] = (index * 7 + (index >> 7) * 13) & 255
  return sharp(raw, { raw: { width, height, channels: 3 } })
}

/** Formats that sharp writes with metadata. */
export const FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const

/** A picture whose Exif and XMP contain a location and a rotation by 90°. */
export async function picture(format: (typeof FORMATS)[number], width = 64, height = 40): Promise<Buffer> {
  const source = plainPicture(width, height).withExif(EXIF).withXmp(XMP).withMetadata({ orientation: 6 })
  return source.toFormat(format, { effort: 1 }).toBuffer()
}
