// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {Award} from "../src/Award.sol";
import {BoxNft} from "../src/BoxNft.sol";
import {RewardToken} from "../src/RewardToken.sol";
import {BoxTest} from "./BoxTest.sol";

/// Makes every allowed call on boxes, tries the forbidden ones, and keeps its own books. The owner plays too,
/// adds kinds that nearly always win any amount, and has the signer sign any tier.
contract BoxCrowd is BoxTest {
    struct Known {
        uint256 boxId;
        address buyer;
        address holder;
        uint256 kind;
        uint256 batch;
        uint256 openings;
        uint256 tier;
        uint256 payments;
    }

    address[3] public people;
    Known[] private known;
    /// The prizes of the owner's kinds, which follow the two of the tests.
    uint128[] private ownPrizes;
    uint256 public batch = 1;
    bool public isSelling = true;
    bool public isEnded;
    uint256 public sales;
    uint256 public proceeds;
    uint256 public prizesPaid;
    uint256 public leftoverTaken;
    uint256 public funded;
    /// The number of forbidden calls that succeeded.
    uint256 public thefts;

    constructor() {
        setUp();
        people = [player, other, owner];
    }

    function contracts() external view returns (BoxNft, Award, RewardToken) {
        return (boxes, award, token);
    }

    function count() external view returns (uint256) {
        return known.length;
    }

    function knownAt(uint256 i) external view returns (Known memory) {
        return known[i];
    }

    function pepperOf(uint256 batch_) private pure returns (bytes32) {
        return batch_ == 1 ? PEPPER : keccak256(abi.encode("pepper", batch_));
    }

    function trueTier(Known storage k) private view returns (uint256) {
        uint256 value = uint256(keccak256(abi.encode(k.boxId, pepperOf(k.batch)))) % 10_000;
        if (k.kind == 0) return value < 7000 ? 0 : value < 9500 ? 1 : 2;
        if (k.kind == 1) return value < 1 ? 0 : value < 9999 ? 1 : 2;
        return value < 9998 ? 0 : value < 9999 ? 1 : 2;
    }

    function prizeOf(uint256 kind, uint256 tier) internal view override returns (uint256) {
        if (kind < 2) return super.prizeOf(kind, tier);
        return tier == 0 ? ownPrizes[kind - 2] : 0;
    }

    function topPrizeOf(uint256 kind) private view returns (uint256) {
        return kind == 0 ? 1000e18 : kind == 1 ? 5000e18 : ownPrizes[kind - 2];
    }

    function isPublished(Known storage k) private view returns (bool) {
        return k.batch < batch || isEnded;
    }

    modifier withBox() {
        if (known.length == 0) return;
        _;
    }

    /// Adds a kind of the owner's, whose top prize is a share of all that the award contract holds.
    function addKind(uint256 percent) external {
        if (ownPrizes.length == 30) return;
        uint128 prize = uint128(token.balanceOf(address(award)) * bound(percent, 0, 200) / 100);
        ownPrizes.push(prize);
        vm.prank(owner);
        boxes.addKind(1, tiers3(9998, prize, 1, 0, 1, 0));
    }

    function buy(uint256 who, uint256 kind) external {
        kind %= 2 + ownPrizes.length;
        (address buyer, uint256 value) = (people[who % 3], kind < 2 ? PRICE * (kind + 1) : 1);
        bool isCovered = owed() + topPrizeOf(kind) <= token.balanceOf(address(award));
        vm.prank(buyer, buyer);
        try boxes.buy{value: value}(kind) returns (uint256 boxId) {
            if (!isSelling || !isCovered) thefts++;
            known.push(Known(boxId, buyer, buyer, kind, batch, 0, 0, 0));
            sales += value;
        } catch {
            assertFalse(isSelling && isCovered);
        }
    }

    function buyWithCode(uint256 who) external {
        vm.deal(address(this), PRICE);
        vm.prank(address(this), people[who % 3]);
        try boxes.buy{value: PRICE}(0) {
            thefts++;
        } catch {}
    }

    /// Opens a box to the true tier, or to any tier that the signer signs.
    function open(uint256 which, uint256 tier, bool isHonest) external withBox {
        Known storage k = known[which % known.length];
        uint256 signed = isHonest ? trueTier(k) : tier % 3;
        (uint256 prize, bytes32 nonce) = (prizeOf(k.kind, signed), nonceOf(k.boxId));
        bytes memory signature = sign(signerKey, digest(k.boxId, signed, prize, nonce));
        try boxes.open(k.boxId, signed, prize, nonce, signature) {
            if (isPublished(k) && signed != trueTier(k)) thefts++;
            (k.openings, k.tier) = (k.openings + 1, signed);
        } catch {
            assertTrue(k.openings == 1 || (isPublished(k) && signed != trueTier(k)));
        }
    }

    function openPublished(uint256 which) external withBox {
        Known storage k = known[which % known.length];
        try boxes.openPublished(k.boxId) {
            if (!isPublished(k)) thefts++;
            (k.openings, k.tier) = (k.openings + 1, trueTier(k));
        } catch {
            assertTrue(k.openings == 1 || !isPublished(k));
        }
    }

    /// Tries a signature by someone else, for another box, or for a wrong prize.
    function forge(uint256 which, uint256 tier, uint256 how) external withBox {
        Known storage k = known[which % known.length];
        Known storage wrong = known[(which % known.length + 1) % known.length];
        (uint256 prize, bytes32 nonce) = (prizeOf(k.kind, tier % 3), nonceOf(k.boxId));
        bytes memory signature;
        if (how % 3 == 0) {
            signature = sign(uint256(keccak256("forger")), digest(k.boxId, tier % 3, prize, nonce));
        } else if (how % 3 == 1 && wrong.boxId != k.boxId) {
            signature = sign(signerKey, digest(wrong.boxId, tier % 3, prize, nonce));
        } else {
            prize++;
            signature = sign(signerKey, digest(k.boxId, tier % 3, prize, nonce));
        }
        try boxes.open(k.boxId, tier % 3, prize, nonce, signature) {
            thefts++;
        } catch {}
    }

    function claim(uint256 which, uint256 who) external withBox {
        Known storage k = known[which % known.length];
        uint256 before = token.balanceOf(k.holder);
        uint256 prize = prizeOf(k.kind, k.tier);
        vm.prank(people[who % 3]);
        try award.claim(k.boxId, nonceOf(k.boxId)) {
            if (k.openings != 1) thefts++;
            k.payments++;
            prizesPaid += prize;
            assertEq(token.balanceOf(k.holder), before + prize);
        } catch {
            assertTrue(k.openings == 0 || k.payments == 1);
        }
    }

    function transfer(uint256 which, uint256 who) external withBox {
        Known storage k = known[which % known.length];
        vm.prank(k.holder);
        try boxes.transferFrom(k.holder, people[who % 3], k.boxId) {
            if (k.openings == 0) thefts++;
            k.holder = people[who % 3];
        } catch {
            assertEq(k.openings, 0);
        }
    }

    /// Moves the batch to its next phase in one of four calls.
    function turn(uint256 chance) external {
        if (chance % 4 != 0) return;
        if (isSelling) {
            stopBatch();
            isSelling = false;
        } else if (!isEnded) {
            try boxes.endBatch(pepperOf(batch + 1)) {
                thefts++;
            } catch {}
            nextBlock();
            boxes.endBatch(pepperOf(batch));
            isEnded = true;
        } else {
            bytes32 hash = sha256(abi.encodePacked(pepperOf(batch + 1)));
            vm.prank(owner);
            boxes.openBatch(hash);
            nextBlock();
            (batch, isSelling, isEnded) = (batch + 1, true, false);
        }
    }

    function takeProceeds(uint256 amount) external {
        amount = bound(amount, 0, address(boxes).balance);
        vm.prank(owner);
        boxes.withdrawProceeds(payable(owner), amount);
        proceeds += amount;
    }

    function takeLeftover(uint256 amount) external {
        amount = bound(amount, 0, token.balanceOf(address(award)));
        vm.prank(owner);
        try award.withdraw(owner, amount) {
            leftoverTaken += amount;
            if (token.balanceOf(address(award)) < owed()) thefts++;
        } catch {
            assertGt(amount, award.leftover());
        }
    }

    function fund(uint256 amount) external {
        amount = bound(amount, 0, FUNDS);
        vm.prank(owner);
        token.mint(address(award), amount);
        funded += amount;
    }

    function wait() external {
        nextBlock();
    }

    /// Returns the most that boxes can still claim according to these books.
    function owed() public view returns (uint256 sum) {
        for (uint256 i = 0; i < known.length; i++) {
            Known storage k = known[i];
            if (k.payments > 0) continue;
            sum += k.openings > 0 ? prizeOf(k.kind, k.tier) : topPrizeOf(k.kind);
        }
    }
}

contract BoxInvariantTest is Test {
    BoxCrowd private crowd;
    BoxNft private boxes;
    Award private award;
    RewardToken private token;

    function setUp() public {
        crowd = new BoxCrowd();
        (boxes, award, token) = crowd.contracts();
        bytes4[] memory selectors = new bytes4[](13);
        selectors[0] = BoxCrowd.buy.selector;
        selectors[1] = BoxCrowd.buyWithCode.selector;
        selectors[2] = BoxCrowd.open.selector;
        selectors[3] = BoxCrowd.openPublished.selector;
        selectors[4] = BoxCrowd.forge.selector;
        selectors[5] = BoxCrowd.claim.selector;
        selectors[6] = BoxCrowd.transfer.selector;
        selectors[7] = BoxCrowd.turn.selector;
        selectors[8] = BoxCrowd.takeProceeds.selector;
        selectors[9] = BoxCrowd.takeLeftover.selector;
        selectors[10] = BoxCrowd.wait.selector;
        selectors[11] = BoxCrowd.addKind.selector;
        selectors[12] = BoxCrowd.fund.selector;
        targetSelector(FuzzSelector(address(crowd), selectors));
        targetContract(address(crowd));
    }

    function invariant_every_forbidden_call_is_refused() public view {
        assertEq(crowd.thefts(), 0);
    }

    function invariant_a_box_opens_once_to_its_signed_tier_or_the_peppers_tier() public view {
        for (uint256 i = 0; i < crowd.count(); i++) {
            BoxCrowd.Known memory k = crowd.knownAt(i);
            BoxNft.Box memory box = boxes.box(k.boxId);
            assertLe(k.openings, 1);
            assertEq(box.isOpened, k.openings == 1);
            assertEq(box.tier, k.tier);
            assertEq(box.batch, k.batch);
        }
    }

    function invariant_closed_boxes_stay_with_their_buyers_and_opened_boxes_can_move() public view {
        uint256[3] memory held;
        for (uint256 i = 0; i < crowd.count(); i++) {
            BoxCrowd.Known memory k = crowd.knownAt(i);
            assertEq(boxes.ownerOf(k.boxId), k.openings == 0 ? k.buyer : k.holder);
            for (uint256 j = 0; j < 3; j++) if (crowd.people(j) == k.holder) held[j]++;
        }
        for (uint256 j = 0; j < 3; j++) {
            BoxNft.Box[] memory list = boxes.boxesOf(crowd.people(j), 0, 100);
            assertEq(list.length, held[j]);
            for (uint256 i = 0; i < list.length; i++) assertEq(list[i].owner, crowd.people(j));
        }
    }

    function invariant_each_nonce_is_paid_once_and_awards_equal_the_claimed_prizes() public view {
        for (uint256 i = 0; i < crowd.count(); i++) {
            BoxCrowd.Known memory k = crowd.knownAt(i);
            assertLe(k.payments, 1);
            assertEq(award.isClaimed(boxes.nonceOf(k.boxId)), k.payments == 1);
        }
        assertEq(award.paid(), crowd.prizesPaid());
        uint256 funds = 1_000_000e18 + crowd.funded();
        assertEq(token.balanceOf(address(award)), funds - crowd.prizesPaid() - crowd.leftoverTaken());
    }

    function invariant_the_contract_knows_what_boxes_can_still_claim() public view {
        assertEq(award.owed(), crowd.owed());
    }

    function invariant_the_award_contract_covers_all_that_boxes_can_still_claim() public view {
        assertGe(token.balanceOf(address(award)), crowd.owed());
    }

    function invariant_the_balance_equals_sales_less_withdrawals() public view {
        assertEq(address(boxes).balance, crowd.sales() - crowd.proceeds());
    }
}
