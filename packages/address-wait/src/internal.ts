// For @sluice/classics only: these exports may change in any version.

export { waitAtLocation } from './location-wait.ts';
