// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {Award} from "../src/Award.sol";
import {BoxKinds} from "../src/BoxKinds.sol";
import {BoxNft} from "../src/BoxNft.sol";
import {RewardToken} from "../src/RewardToken.sol";

/// Boxes on sale, a funded award contract, the house's signer and a player.
abstract contract BoxTest is Test {
    uint256 internal constant PRICE = 0.01 ether;
    uint256 internal constant FUNDS = 1_000_000e18;
    bytes32 internal constant PEPPER = keccak256("pepper");
    /// Computed once: sha256 is a call to a precompile, which would consume a prank or an expected revert.
    bytes32 internal immutable HASH = sha256(abi.encodePacked(PEPPER));
    bytes32 internal immutable NEW_HASH = sha256("new");

    address internal owner = makeAddr("owner");
    address internal player = makeAddr("player");
    address internal other = makeAddr("other");
    address internal signer;
    uint256 internal signerKey;

    RewardToken internal token;
    BoxNft internal boxes;
    Award internal award;

    function setUp() public virtual {
        vm.roll(1_000);
        vm.prevrandao(keccak256("randao"));
        (signer, signerKey) = makeAddrAndKey("signer");
        token = new RewardToken(owner, 100_000_000e18);
        boxes = new BoxNft(owner, signer, token);
        award = boxes.AWARD();
        vm.deal(player, 100 ether);
        vm.deal(other, 100 ether);
        vm.deal(owner, 100 ether);
        vm.startPrank(owner);
        token.mint(address(award), FUNDS);
        boxes.addKind(uint128(PRICE), tiers3(7000, 0, 2500, 10e18, 500, 1000e18));
        boxes.addKind(uint128(PRICE * 2), tiers3(1, 5000e18, 9998, 1e18, 1, 77e18));
        boxes.openBatch(HASH);
        vm.stopPrank();
        nextBlock();
    }

    function tiers3(uint16 bps0, uint128 prize0, uint16 bps1, uint128 prize1, uint16 bps2, uint128 prize2)
        internal
        pure
        returns (BoxKinds.Tier[] memory tiers)
    {
        tiers = new BoxKinds.Tier[](3);
        tiers[0] = BoxKinds.Tier(bps0, prize0);
        tiers[1] = BoxKinds.Tier(bps1, prize1);
        tiers[2] = BoxKinds.Tier(bps2, prize2);
    }

    function evenTiers(uint256 count) internal pure returns (BoxKinds.Tier[] memory tiers) {
        tiers = new BoxKinds.Tier[](count);
        for (uint256 i = 0; i < count; i++) {
            tiers[i] = BoxKinds.Tier(uint16(i == 0 ? 10_001 - count : 1), uint128(i));
        }
    }

    function nextBlock() internal {
        vm.roll(vm.getBlockNumber() + 1);
        vm.prevrandao(keccak256(abi.encode("randao", vm.getBlockNumber())));
    }

    function buyAs(address buyer, uint256 kind) internal returns (uint256) {
        uint256 price = boxes.kinds()[kind].price;
        vm.prank(buyer, buyer);
        return boxes.buy{value: price}(kind);
    }

    /// Returns the tier according to the published rule, written out for the kinds of the tests.
    function expectedTier(uint256 boxId, uint256 kind) internal pure returns (uint256) {
        uint256 value = uint256(keccak256(abi.encode(boxId, PEPPER))) % 10_000;
        if (kind == 0) return value < 7000 ? 0 : value < 9500 ? 1 : 2;
        return value < 1 ? 0 : value < 9999 ? 1 : 2;
    }

    function prizeOf(uint256 kind, uint256 tier) internal view virtual returns (uint256) {
        uint256[3] memory prizes = kind == 0 ? [uint256(0), 10e18, 1000e18] : [uint256(5000e18), 1e18, 77e18];
        return prizes[tier];
    }

    function nonceOf(uint256 boxId) internal pure returns (bytes32) {
        return keccak256(abi.encode(boxId));
    }

    function digest(uint256 boxId, uint256 tier, uint256 prize, bytes32 nonce) internal view returns (bytes32) {
        return digestFor(address(boxes), block.chainid, boxId, tier, prize, nonce);
    }

    /// Returns the EIP-712 digest, written out from the published type and domain.
    function digestFor(address boxes_, uint256 chainId, uint256 boxId, uint256 tier, uint256 prize, bytes32 nonce)
        internal
        pure
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("FairhouseBox"),
                keccak256("1"),
                chainId,
                boxes_
            )
        );
        bytes32 typeHash = keccak256("Open(uint256 boxId,uint256 tier,uint256 prize,bytes32 nonce)");
        bytes32 message = keccak256(abi.encode(typeHash, boxId, tier, prize, nonce));
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }

    function sign(uint256 key, bytes32 hash) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, hash);
        return abi.encodePacked(r, s, v);
    }

    /// Opens a box to `tier` with the house's signature. The caller is not its owner.
    function openTo(uint256 boxId, uint256 tier) internal {
        openTo(boxId, tier, prizeOf(boxes.box(boxId).kind, tier));
    }

    function openTo(uint256 boxId, uint256 tier, uint256 prize) internal {
        boxes.open(boxId, tier, prize, nonceOf(boxId), sign(signerKey, digest(boxId, tier, prize, nonceOf(boxId))));
    }

    function openHonestly(uint256 boxId) internal {
        openTo(boxId, expectedTier(boxId, boxes.box(boxId).kind));
    }

    function stopBatch() internal {
        vm.prank(owner);
        boxes.stopBatch();
    }

    function publish() internal {
        stopBatch();
        nextBlock();
        boxes.endBatch(PEPPER);
    }
}
