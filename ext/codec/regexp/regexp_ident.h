/*
** regexp_ident.h -- the characters of group names in regular expressions.
**
** Written by ext/gen/regexp_ident.ts with Deno 2.9.6: change that, not this.
** A sorted list of numbers 4 * c + k: from character c up to the next number's,
** k is 1 for a character that may stand anywhere in a name, 2 for one that
** may stand anywhere but at its start, and 0 for one that may not stand in a
** name.  ASCII is left out.  Of each number stands the difference to the one
** before it (the first is 0), to the base 28: the lowest five bits of a
** character are a digit, and the next one is set in the last digit of a number.
*/
#ifndef KV_REGEXP_IDENT_H
#define KV_REGEXP_IDENT_H

static const char identSteps[] =
  "`XicAmcfbicuCgeDkeBIkqAsBasAacecBnO{segioecyeckeceBweKweSwfriWseEkicyEwAfFjf"
  "bfffffbAeCwqoDfAnuFeDjqicNceezjwiffoiAkkicBiecDiCviLuAocBbAkDuAggqcjbiCeoeAg"
  "ekerBqCqjqAouCkewAfAgFaCjfDsGukeBoe{AmfjAjeBijeAcigiCce{ecmojcezjfjkcAfbqgem"
  "fjAkgAmcfbjjewqgiCce{egegegjbfrrfjjnbAaoecAbAsmbArjeAgekeCce{egesjceAbfjfjic"
  "BeifjAjAievfjeAcigiCce{egesjcezjfjjAbjqgemfjAjecBjccewmkeomgecegmgmkmAsrrnjf"
  "niczbBbAjBjsAcekeCgeBgjcezfjfnAbfekiciifjAjBiejeAcekeCgeAkesjcezfjfnAbfygeif"
  "jAjeibAvoAgekeEygezfjfocumbAamfjAjAmwfjeBomCkeAgeci{nbrvfbfAbzAjjfAyFycizuAa"
  "AbfAjEqgeceseCkeceAmciAgcisecfzfAjioDqcCjfzAjArbfbfbrgAceEcrBvfguAnfEbAjbHeF"
  "eBweAjyyoqkeki{moAyAseBbiEkecuciFceASoeoi{eceoiEweoiDseoi{eceoiBceHceoiIojjA"
  "jAfBaBgBiLgiwmCDoiBkeCsuJsmAoAaBqnAiBujAqBqfAuAwekffAuGmDnmcqebjAjDvjfAnyLsA"
  "aEyccuI{AmDkfArrArAnAkDgisAqFgqCszAnEiCirqGqAjfDbjAnzAjAycAfAzfBfGbsFuBkAcnA"
  "jBnAfAvkDiAwiAkFiAzAuEeBvAfAjmmAkEciAouFcikBjjfB{qcycikcu[mIcAKsiwiEkiwiAcec"
  "ececeDkiGoe{ecmke{moiwqAwuke{BffGbfBvbDacAycBiAwGjAvrbnArBmcqciAkeciwycecece"
  "BgiousqcBmEwMRuADsyqkgAuEkecuciG{AacBfcCgAi{e{e{e{e{e{e{e{fDnBQykCqAivesisqL"
  "gjgseLycouFceMkBmDoFyBgBQeAEQsIeDAAgIqFoiAJkmBiAkgByFubrAjeDmgKmfEiAgiNsiIoi"
  "geceAcCaBicmcqcCirrbBuGkAvgGeBnAnAjzBowmceiAoDaAbiCiAvAuDcnoFuAzBaeAjyucAmAk"
  "seEyAzAimcAefjAjyCgmekGecekigugeccCmkiAqrimfAmwiwiwAi{e{eFceA{yPmAbffjAjyB@["
  "{AuCgqF{AOCmAXgiOcEm{AusuecAkeAwesecegegeOkDuAWwBqIciGsEuAsrBfBjBfnfCnjDqseS"
  "gBvAjAaCsrbeCsAncLsmwiwiwikEaAseCseBsegeBciA{DyQoIyGoSnbRqDcmF{BfbDmDoAyDguE"
  "mruDgiEcqAcesFaVojAjyEcqEcqEsAeGkAuAoeBce{egeAoeBce{egmGkAuAPkAiCcAmAcCmweE{"
  "eAgIywiceFgegmciCgAmCgAiDkIiBsegAmCcAmCsJaG{ygIeejffvooekeDcjjrbDqDcmDcEaAce"
  "DafCqGsAmCcAmBsAyBoOuJkGyGgAyGgAyEenAfAjzAkC{nreCgAGuE{ffmgBikGzoDcAmcAeCeAn"
  "DmBqnFaB{CyCgAjkGqBbDnAoigcAjoFmAnAbbAyCoAbAjzkEeAzfAjqegcAeEabicAjkFyA{ornf"
  "AscecEaBoeCqArzcibHy{eceoeBceAkAaFuArvAjzneAcigiCce{egesfgezjfjjiczbuufjznrA"
  "qAkeciceEkeeAffbjbfnfseccAzfDeGqBoovAjrckDiFyBwgecAfAjWuFuzjAfCiqfDyFyBjmcAr"
  "AjEmFeAwcAbAjzBvDaCwjBbrAjy{ZmFiBbNmIeAjCaAciciAcegeCmvffjoecefAvAjJaAciEqzj"
  "{ceebCyeAkEu{enAfbAeeAoFqBfmcBqJkA@mDsBfAjyAgeEiAbfAccBfAjCmDgjCbfAzJm{egeEm"
  "vnbfff{ebAfAjywegeDqrfffscAbAjAPiBunAjgecAweDyznrAzAnLecKiDSsNqOwBm[{MLqMwBe"
  "EMcBjcyBbAmTJsuB[gAFYiDiCzHWuBYgAaDkfAjyKgfAjyDgjrAqFyzAioAvAjAiB{uBsBEuFknA"
  "jA@iIcRiJsrceGvAboAwIegeebArfBaACHoAeFHwEyAkAQPmoe{egeAMoBecDekicBaoAeB@oKUu"
  "OguAwmAgAaAknfUHvAjBRbFnjCfBUnrnvAfAbjzDjnUfjBGiLceJcegicigioeAsece{eIgeoiAc"
  "e{eC{eoesecm{eAToiCoeCoeDkeCoeDkeCoeDkeCoeDkeCoeAcjGbBQfGvrGbAfbBbbCfrfBbEQu"
  "DkywABnzfBjjzfffruHwDvbPaFkn{{jAjqcAQyDibBmFiAzBKeDaAzABqDigeAjBMi{eoegeBceA"
  "@cArzEyIu{crAjFBaoeCwegeciceAkeoececycqcececekegecicececececegecioe{eoeoeceA"
  "keBkukeseBkQFzAjEGeGUZwDqUEkyACsiAAKcBaAJCoBeCDwLPiBUkGSeYEouUJwDQTTrAFf";

#endif /* KV_REGEXP_IDENT_H */
