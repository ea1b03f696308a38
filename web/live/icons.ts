/** Icons of vehicles from above, pointing up, 24 x 24: filled paths. */
const ICONS: Readonly<Record<string, string>> = {
  Copter:
    'M5 2a3 3 0 1 0 1.9 5.3L9.6 10v4l-2.7 2.7A3 3 0 1 0 8.3 18L11 15.4h2L15.7 18a3 3 0 1 0 1.4-1.4L14.4 14v-4l2.7-2.7A3 3 0 1 0 15.7 6L13 8.6h-2L8.3 6A3 3 0 0 0 5 2z',
  Plane:
    'M12 1.5c.9 0 1.4 1.6 1.4 3.6v3.4l8.6 4.3v2.4l-8.6-2v4.6l2.9 2.2v2L12 20.9 7.7 22v-2l2.9-2.2v-4.6L2 15.2v-2.4l8.6-4.3V5.1c0-2 .5-3.6 1.4-3.6z',
  Rover: 'M8 3h8l1.5 3H20v5h-2v3h2v5h-2.5L16 21H8l-1.500-2H4v-5h2v-3H4V6h2.500zM9 8v3h6V8z',
  Sub: 'M12 1.500c2.800 2 4 5 4 9.500v5l2.500 3v2H13.500v1.500h-3V21H5.500v-2L8 16v-5c0-4.500 1.200-7.500 4-9.500zM12 7a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  Blimp:
    'M12 1.500c3 0 5 4 5 8.500 0 3.600-1.300 6.700-3 8.100l2.500 2.400v2H7.500v-2l2.500-2.400c-1.700-1.400-3-4.500-3-8.100 0-4.500 2-8.500 5-8.500z',
  Tracker:
    'M12 2a10 10 0 0 1 10 10h-3a7 7 0 0 0-14 0H2A10 10 0 0 1 12 2zm0 6a4 4 0 0 1 1.500 7.700V22h-3v-6.300A4 4 0 0 1 12 8z',
};
const UNKNOWN = 'M12 2 20 20l-8-4-8 4z';

export function vehicleIcon(kind: string): string {
  return Object.hasOwn(ICONS, kind) ? ICONS[kind] : UNKNOWN;
}
